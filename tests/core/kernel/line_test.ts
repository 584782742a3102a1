import assert from "node:assert/strict";
import { Line } from "../../../core/kernel/line.ts";
import { Peer } from "../../../core/wire/peer.ts";
import type { RpcError } from "../../../core/wire/rpc.ts";
import { memoryPair } from "../../../core/wire/transport.ts";
import { ManualClock } from "../../kit/manual_clock.ts";

interface Table {
  greet: { params: { name: string }; result: { text: string } };
}

function part(answer: (name: string) => string | Promise<string>): Peer<Table> {
  const [here, there] = memoryPair();
  new Peer(there, { name: "here" }).serve({
    greet: async ({ name }: { name: string }) => ({ text: await answer(name) }),
  }).open();
  return new Peer<Table>(here, { name: "there" }).open();
}

Deno.test("a call before there is a line waits for it", async () => {
  const line = new Line<Table>("the part", new ManualClock());
  const greeting = line.call("greet", { name: "Ann" });
  line.attach(part((name) => `hello ${name}`));
  assert.deepEqual(await greeting, { text: "hello Ann" });
});

Deno.test("a call that no line comes for fails with the reason", async () => {
  const clock = new ManualClock();
  const line = new Line<Table>("the part", clock);
  const failed = assert.rejects(
    line.call("greet", { name: "Ann" }),
    (error: RpcError) => error.code === -32009 && /Cannot reach the part/.test(error.message),
  );
  await clock.advance(15_000);
  await failed;
});

Deno.test("what the part itself answers with an error is not asked again", async () => {
  let asked = 0;
  const line = new Line<Table>("the part", new ManualClock());
  line.attach(part(() => {
    asked++;
    throw new Error("no");
  }));
  await assert.rejects(line.call("greet", { name: "Ann" }), /no/);
  assert.equal(asked, 1);
});

Deno.test("a caller that gives up waits no longer", async () => {
  const line = new Line<Table>("the part", new ManualClock());
  const giveUp = new AbortController();
  const call = line.call("greet", { name: "Ann" }, { signal: giveUp.signal });
  giveUp.abort(new Error("never mind"));
  await assert.rejects(call, /never mind/);
});

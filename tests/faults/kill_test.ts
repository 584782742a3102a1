import assert from "node:assert/strict";
import { type Client, connect, serve } from "../kit/homed.ts";
import { random } from "../kit/random.ts";
import { tempFolder } from "../kit/temp_folder.ts";

const KILLS = 50;

/** What the home says was said: roles and texts of every message, in order. */
async function messages(client: Client, folder: string): Promise<{ role: string; text: string }[]> {
  const path = `${folder}/export.jsonl`;
  await client.peer.call("memory.export", { path });
  const rows = (await Deno.readTextFile(path)).split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line)
  );
  return rows.filter(({ kind }) => kind === "message");
}

Deno.test("kill -9 at fifty random moments: the next start works, has all that was acknowledged, and replays nothing", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const seed = Number(Deno.env.get("HOMED_TEST_SEED") ?? Date.now() % 1e9);
  const draw = random(seed);
  const acknowledged: { text: string; reply: string }[] = [];
  const sent = new Set<string>();
  let lastCount = 0, next = 0;
  for (let kill = 0; kill <= KILLS; kill++) {
    await using daemon = await serve({ home });
    await using client = await connect(home);
    // Everything acknowledged is there, and nothing that nobody sent.
    const known = await messages(client, folder.path);
    const said = new Map<string, number>();
    for (const { role, text } of known) if (role === "user") said.set(text, (said.get(text) ?? 0) + 1);
    for (const { text, reply } of acknowledged) {
      const where = `seed ${seed}, kill ${kill}: ${text}`;
      assert.equal(said.get(text), 1, where);
      assert.ok(known.some((row) => row.role !== "user" && row.text === reply), `${where} → ${reply}`);
    }
    for (const text of said.keys()) assert.ok(sent.has(text), `seed ${seed}: nobody said ${text}`);
    // Left alone for a moment, a turn that was cut off is not taken up again.
    if (kill % 10 === 5) {
      const before = known.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(
        (await messages(client, folder.path)).length,
        before,
        `seed ${seed}, kill ${kill}: something was replayed`,
      );
    }
    assert.ok(
      known.length >= lastCount,
      `seed ${seed}, kill ${kill}: there were ${lastCount} messages, now ${known.length}`,
    );
    lastCount = known.length;
    if (kill === KILLS) break;
    let dead = false;
    const timer = setTimeout(() => (dead = true, daemon.kill("SIGKILL")), draw() * 900);
    while (!dead) {
      const text = `Remember that box ${next} holds item ${(next * 7919) % 1009}`;
      sent.add(text);
      next++;
      try {
        const { reply } = await client.peer.call("chat.send", { text });
        acknowledged.push({ text, reply });
      } catch {
        break; // killed before it was acknowledged
      }
    }
    clearTimeout(timer);
    daemon.kill("SIGKILL");
    await daemon.exited;
  }
  assert.ok(acknowledged.length >= KILLS, `only ${acknowledged.length} messages were acknowledged`);
});

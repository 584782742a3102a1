/** Every bench, each against a floor or a peer in the same run: `deno task bench [NAME…]`. Those that measure the
 * executable use the one that `HOMED_BIN` names, else `dist/homed`, which is built first when it is not there.
 * @module */
import { report, type Row } from "./kit/measure.ts";

const BENCHES: Record<string, () => Promise<Row[]>> = {
  ring: async () => await (await import("./ring.ts")).ringBench(),
  peer: async () => await (await import("./peer.ts")).peerBench(),
  start: async () => await (await import("./start.ts")).startBench(),
  turn: async () => await (await import("./turn.ts")).turnBench(),
  memory: async () => await (await import("./memory.ts")).memoryBench(),
  plugins: async () => await (await import("./plugins.ts")).pluginsBench(),
};

const unknown = Deno.args.find((name) => !(name in BENCHES));
if (unknown) {
  console.error(`There is no bench "${unknown}": there are ${Object.keys(BENCHES).join(", ")}`);
  Deno.exit(2);
}

if (!Deno.env.get("HOMED_BIN")) {
  const binary = decodeURIComponent(new URL("../dist/homed", import.meta.url).pathname);
  if (!await Deno.stat(binary).catch(() => undefined)) {
    console.log("Building dist/homed first: deno task compile");
    const { success } = await new Deno.Command(Deno.execPath(), { args: ["task", "compile"] }).output();
    if (!success) Deno.exit(1);
  }
  Deno.env.set("HOMED_BIN", binary);
}

const rows: Row[] = [];
for (const name of Deno.args.length > 0 ? Deno.args : Object.keys(BENCHES)) {
  console.log(`… ${name}`);
  rows.push(...await BENCHES[name]!());
}
report(rows);
Deno.exit(rows.every((row) => row.ok) ? 0 : 1);

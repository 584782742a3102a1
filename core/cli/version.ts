import type { VerbCall } from "./verb.ts";
import { EXIT } from "./failure.ts";

export async function run({ json, io, room }: VerbCall): Promise<number> {
  const info = (await room()).versionInfo();
  if (json) io.write(JSON.stringify(info) + "\n");
  else {
    const { core, protocol, sdk, schema, deno, target } = info;
    io.write(`homed ${core}\nprotocol ${protocol}, sdk ${sdk}, schema ${schema}, deno ${deno}, ${target}\n`);
  }
  return EXIT.done;
}

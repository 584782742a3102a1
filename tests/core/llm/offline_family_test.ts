/** Families who tell and ask, with no model: the kernel and the offline provider over the real memory. @module */
import assert from "node:assert/strict";
import { silentLog } from "../../../core/base/log.ts";
import { createKernel, EMPTY_SETTINGS } from "../../../core/kernel/kernel.ts";
import type { MemoryPort } from "../../../core/kernel/ports.ts";
import { OfflineProvider } from "../../../core/llm/offline.ts";
import { Sources } from "../../../core/llm/sources.ts";
import { FakeHost } from "../../kit/kernel_home.ts";
import { tempFolder } from "../../kit/temp_folder.ts";
import { openService } from "../../memory/kit.ts";

/** The agent of a home with nothing configured, as after a start. */
async function startFamily(home: string, from: number) {
  const memory = await openService(home);
  memory.clock.setWall(from);
  const offline = new OfflineProvider();
  const kernel = createKernel({
    memory: memory as unknown as MemoryPort,
    host: new FakeHost(),
    llm: new Sources({ clock: memory.clock, makeProvider: () => offline, offline }),
    clock: memory.clock,
    log: silentLog,
    emit: () => {},
  }, EMPTY_SETTINGS);
  await kernel.start(EMPTY_SETTINGS);
  return {
    clock: memory.clock,
    /** What memory distils by itself from what was said. */
    distill: () => memory.call("memory.tick", { loop: "pipeline" }),
    /** A minute later. */
    async say(text: string): Promise<string> {
      memory.clock.setWall(memory.clock.now() + 60_000);
      const { reply } = await kernel.loop.send({ text, trusted: true });
      return reply.split("\n\n")[0]!;
    },
    [Symbol.asyncDispose]: async () => {
      await memory.call("memory.close", {});
    },
  };
}

/** Talks as a fixture says, and answers with what was wrong. `<` tells, `?` asks, `+` and `!` must and must not stand in
 * the last reply, `=` is all of it, `--` is a new process, `~~` memory's own distilling. */
async function talk(block: string): Promise<string[]> {
  await using folder = await tempFolder();
  const wrong: string[] = [];
  let home = await startFamily(folder.path, Date.UTC(2027, 0, 4, 9));
  try {
    let said = "", reply = "";
    for (const line of block.split("\n")) {
      const text = line.slice(2);
      if (line === "--") {
        const { clock } = home;
        await home[Symbol.asyncDispose]();
        home = await startFamily(folder.path, clock.now());
      } else if (line === "~~") await home.distill();
      else if (/^[<?] /.test(line)) [said, reply] = [text, await home.say(text)];
      else if (
        line.startsWith("+ ") && !reply.includes(text) || line.startsWith("! ") && reply.includes(text) ||
        line.startsWith("= ") && reply !== text
      ) wrong.push(`  ${said}\n    ${reply.replaceAll("\n", "\n    ")}\n    (${line})`);
    }
  } finally {
    await home[Symbol.asyncDispose]();
  }
  return wrong;
}

const folder = new URL("../../fixtures/offline/", import.meta.url);
for (const name of ["family_en.txt", "family_zh.txt"]) {
  for (const block of (await Deno.readTextFile(new URL(name, folder))).trim().split(/\n\s*\n/)) {
    const title = /^# (.+)$/m.exec(block)?.[1] ?? "";
    Deno.test(`a family without a model: ${title}`, async () => {
      const wrong = await talk(block);
      assert.equal(wrong.join("\n"), "");
    });
  }
}

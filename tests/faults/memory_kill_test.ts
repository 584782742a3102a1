import assert from "node:assert/strict";
import type { Memory } from "../../memory/memory.ts";
import { random } from "../kit/random.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { checkConsistent } from "../memory/flow_check.ts";
import { openMemory } from "../memory/kit.ts";

const KILLS = 10;

/** What was done and acknowledged, by number. */
interface Done {
  said: number[];
  imported: number[];
  forgotten: number[];
}

/** Lets a memory work on `home` for a while and kills it. Answers with the first number that is free. */
async function workAndDie(
  home: string,
  options: { seed: number; next: number; life: number; done: Done },
): Promise<number> {
  const script = decodeURIComponent(new URL("../fixtures/memory_at_work.ts", import.meta.url).pathname);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", script, home, String(options.seed), String(options.next)],
    stdout: "piped",
  }).spawn();
  let { next } = options, rest = "";
  let timer: number | undefined;
  const text = child.stdout.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>);
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    for (const { ready, done, failed, error, k = -1 } of lines.map((line) => JSON.parse(line))) {
      if (ready) timer = setTimeout(() => child.kill("SIGKILL"), options.life);
      assert.equal(failed, undefined, error);
      next = Math.max(next, k + 1);
      if (done === "say") options.done.said.push(k);
      if (done === "import") options.done.imported.push(k);
      if (done === "forget") options.done.forgotten.push(k);
    }
  }
  clearTimeout(timer);
  await child.status;
  // A number may have been taken by work that only tells its end.
  return next + 1;
}

function checkDone(memory: Memory, { said, imported, forgotten }: Done): void {
  const { context, documents, graph, text } = memory;
  const learned = graph.db.prepare("SELECT 1 FROM seen WHERE id LIKE ?");
  for (const id of [...said, ...imported].map((k) => `e${k}`)) {
    const tiers = [context.get(id), documents.has(id) || undefined, learned.get(`${id}/%`)];
    assert.equal(tiers.filter((tier) => tier !== undefined).length, 1, `${id} is in exactly one tier`);
  }
  const log = [...text.read(null)].map(({ record }) => record.text);
  for (const k of said) assert.equal(log.filter((line) => line.endsWith(` tag${k}.`)).length, 1, `e${k} was said once`);
  for (const k of imported) {
    assert.equal(log.filter((line) => line === `imported message tag${k}.`).length, 1);
    assert.ok(graph.relation(`r${k}`));
  }
  const contents = [...documents.iterate()].map(({ content }) => content);
  for (const k of forgotten) assert.ok(!contents.some((content) => content.includes(`Person${k}q`)));
}

function leftOvers(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? leftOvers(`${folder}/${name}`)
      : /\.tmp$|\.new\b|-journal$|\.damaged/.test(name)
      ? [`${folder}/${name}`]
      : []
  );
}

Deno.test("kill -9 at any moment of any work: everything acknowledged is in exactly one tier, indexes and references fit", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const seed = Number(Deno.env.get("HOMED_TEST_SEED") ?? Date.now() % 1e9);
  const life = random(seed);
  const done: Done = { said: [], imported: [], forgotten: [] };
  let next = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    next = await workAndDie(home, { seed: seed + kill, next, life: 30 + life() * 1_200, done });
    await using memory = openMemory(home, { settings: { cold_after: 0, media_min_age: 0 } });
    try {
      assert.deepEqual(memory.notices, []);
      checkConsistent(memory);
      checkDone(memory, done);
      assert.deepEqual(leftOvers(home), []);
    } catch (error) {
      throw new Error(`seed ${seed}, kill ${kill}`, { cause: error });
    }
  }
  assert.ok(done.said.length > KILLS, "it got some work done");
});

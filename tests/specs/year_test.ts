/** A home over many conversations, from the outside: sixty by default, or as many as `HOMED_YEAR` says (400 are a year).
 * The clock is shortened by settings alone: what was not used for a second is cold, and the loops are ticked over the
 * owner's socket. `HOMED_YEAR_REPORT` names a file for the figures. @module */
import assert from "node:assert/strict";
import { connect, HOMED, homed, serve } from "../kit/homed.ts";
import { type RecordedRequest, type ScriptedReply, startLlmServer } from "../kit/llm_servers/mod.ts";
import { tempFolder } from "../kit/temp_folder.ts";

const CONVERSATIONS = Number(Deno.env.get("HOMED_YEAR") ?? 60);
const PERSON = "Mirabelle";
const CITIES = ["Lyon", "Oslo", "Bern", "Kyiv", "Rome", "Graz"];
/** How much larger the resident memory may be in the last quarter than in the second. From source V8 is not told to
 * collect before a heap has grown to several times what is alive. */
const GROWTH = HOMED.length === 1 ? 1.15 : 1.35;
const LOOPS = ["pipeline", "distill", "archive", "merge", "review", "media"];

/** A model that commits what is to be committed, turns cold documents into facts, and merges nothing. */
function model({ body }: RecordedRequest): ScriptedReply {
  const messages = body.messages as { role: string; content: unknown }[];
  const last = messages.at(-1)!;
  const text = typeof last.content === "string" ? last.content : JSON.stringify(last.content);
  if (!body.tools) {
    const lines = [...text.matchAll(/^(\d+)\. .*the visitor number (\d+)/gm)];
    return {
      text: JSON.stringify(lines.map(([, n, visitor]) => ({
        n: Number(n),
        triples: [{ subject: `visitor ${visitor}`, predicate: "brought", object: `parcel ${visitor}` }],
      }))),
    };
  }
  const likes = /My sister (\w+) likes the number (\d+)/.exec(text);
  if (last.role === "user" && likes) {
    const triples = [{ subject: likes[1], predicate: "likes", object: `number ${likes[2]}`, subject_type: "person" }];
    return {
      calls: [{
        id: "c1",
        name: "memory_commit",
        arguments: JSON.stringify({ triples, sentence_text: likes[0] }),
      }],
    };
  }
  return { text: `I see, that is what you say (${messages.length} messages).` };
}

async function residentMiB(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Files below a folder that hold the word in UTF-8 or UTF-16, whatever its case. */
async function filesWith(folder: string, word: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await filesWith(path, word));
    if (!entry.isFile) continue;
    let bytes: Uint8Array;
    try {
      bytes = await Deno.readFile(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) continue; // The running homed moved it away meanwhile.
      throw error;
    }
    const text = new TextDecoder("latin1").decode(bytes).toLowerCase().replaceAll("\0", "");
    if (text.includes(word.toLowerCase())) found.push(path);
  }
  return found;
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;

Deno.test("many conversations: all loops run, nothing grows without end, and one person goes without a trace", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai").otherwise(model);
  const env = {
    HOMED_CORE__LLM__SOURCES__OPENAI__ENABLED: "true",
    HOMED_CORE__LLM__SOURCES__OPENAI__BASE_URL: server.url,
    HOMED_CORE__LLM__SOURCES__OPENAI__API_KEY: "sk-test-0123456789abcdef",
    HOMED_CORE__LLM__SOURCES__OPENAI__MODEL: "scripted",
    HOMED_CORE__MEMORY__COLD_AFTER: "1s",
  };
  const turns: number[] = [], recalls: number[] = [], resident: number[] = [];
  const did: Record<string, number> = {};
  await using daemon = await serve({ home, env });
  await using client = await connect(home);
  const say = async (text: string) => {
    const start = performance.now();
    await client.peer.call("chat.send", { text });
    turns.push(performance.now() - start);
  };
  const recall = async (query: string) => {
    const start = performance.now();
    const found = await client.peer.call("memory.recall", { query });
    recalls.push(performance.now() - start);
    return found as { answerable: boolean; hits: { text: string; current?: boolean }[] };
  };
  for (let day = 0; day < CONVERSATIONS; day++) {
    if (day % 20 === 0) await say(`I moved to ${CITIES[(day / 20) % CITIES.length]}.`);
    if (day % 7 === 0) await say(`My sister ${PERSON} likes the number ${day}.`);
    if (day % 3 === 0) await say(`We had the visitor number ${day} for tea.`);
    await say(`The jar of day ${day} stands on shelf ${day * 3 + 1}.`);
    await say("Where do I live now?");
    await recall(`Where does the jar of day ${day} stand?`);
    if (day % 10 !== 9 && day !== CONVERSATIONS - 1) continue;
    for (const loop of LOOPS) {
      const ticked = await client.peer.call("memory.tick", { loop });
      did[loop] = (did[loop] ?? 0) + ticked.did;
    }
    resident.push(await residentMiB(daemon.pid));
  }
  // Cold is what was not used for a second: what is left becomes facts now.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  for (const loop of LOOPS) did[loop] = (did[loop] ?? 0) + (await client.peer.call("memory.tick", { loop })).did;

  const stats = await client.peer.call("memory.stats", {});
  assert.ok(stats.context_events <= 40, `${stats.context_events} events in the window`);
  assert.ok(did.pipeline! > 0 && did.archive! > 0, JSON.stringify(did));
  const lives = await recall("Where do I live now?");
  const city = CITIES[Math.floor((CONVERSATIONS - 1) / 20) % CITIES.length]!;
  assert.match(lives.hits[0]!.text, new RegExp(city));
  for (const day of [0, CONVERSATIONS >> 1, CONVERSATIONS - 1]) {
    const { answerable, hits } = await recall(`On which shelf does the jar of day ${day} stand?`);
    assert.equal(answerable, true, `day ${day}`);
    assert.match(hits.slice(0, 3).map(({ text }) => text).join("\n"), new RegExp(`shelf ${day * 3 + 1}\\b`));
  }
  const visitor = await recall("What did visitor 3 bring?");
  assert.match(visitor.hits.map(({ text }) => text).join("\n"), /parcel 3\b|visitor number 3\b/);

  // What is left is worked off bit by bit; then the loops ask no model any more.
  let calls = -1, rounds = 0;
  for (; calls !== server.requests.length; rounds++) {
    assert.ok(rounds < CONVERSATIONS, "the loops find no end");
    calls = server.requests.length;
    for (const loop of LOOPS) await client.peer.call("memory.tick", { loop });
  }
  for (const loop of LOOPS) await client.peer.call("memory.tick", { loop });
  assert.equal(server.requests.length, calls, "idle loops ask no model");

  const quarter = Math.max(1, turns.length >> 2);
  const part = Math.max(1, resident.length >> 2);
  const growth = median(resident.slice(-part)) / median(resident.slice(part, 2 * part));
  assert.ok(growth <= GROWTH, `resident memory over the conversations, in MiB: ${resident.join(" ")}`);

  assert.ok((await filesWith(home, PERSON)).length > 0);
  const backup = `${folder.path}/before.backup`;
  assert.equal((await homed(["backup", backup], { home })).code, 0);
  const forgotten = await homed(["memory", "forget", PERSON, "--yes"], { home });
  assert.equal(forgotten.code, 0, forgotten.stderr);
  assert.match(forgotten.stdout, /[Bb]ackups/);
  assert.deepEqual(await filesWith(home, PERSON), []);
  assert.equal((await recall(PERSON)).answerable, false);
  await say("Where do I live now?");
  assert.match((await recall("Where do I live now?")).hits[0]!.text, new RegExp(city));
  const sent = server.requests.slice(-1).map(({ body }) => JSON.stringify(body)).join();
  assert.ok(!sent.includes(PERSON), "the model is told of nobody who was forgotten");

  const report = Deno.env.get("HOMED_YEAR_REPORT");
  if (report) {
    const round = (value: number) => Math.round(value * 10) / 10;
    const figures = {
      conversations: CONVERSATIONS,
      turns: turns.length,
      turn_ms: {
        second_quarter: round(median(turns.slice(quarter, 2 * quarter))),
        last: round(median(turns.slice(-quarter))),
      },
      recall_ms: {
        first_quarter: round(median(recalls.slice(0, recalls.length >> 2))),
        last_quarter: round(median(recalls.slice(-(recalls.length >> 2)))),
      },
      resident_mib: resident,
      resident_growth: Math.round(growth * 100) / 100,
      did,
      stats,
      model_calls: calls,
      rounds_until_idle: rounds,
    };
    await Deno.writeTextFile(report, JSON.stringify(figures, null, 1) + "\n");
  }
});

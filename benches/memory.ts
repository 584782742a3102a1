import { type Client, connect, HOMED, serve } from "../tests/kit/homed.ts";
import { tempFolder } from "../tests/kit/temp_folder.ts";
import { ms, percentile, type Row, timeEach, times } from "./kit/measure.ts";
import { corpus, question, Writer } from "./recall/corpus.ts";
import { MemoryHome } from "./recall/memory_home.ts";
import { proportionalSize } from "./start.ts";

const QUESTIONS = 250;
/** The first questions load the lexicon and are compiled. */
const WARM_UP = 150;
const RELATIONS = 5;
const DOCUMENTS = 100_000;
const IDLE = 60_000;

/** Memory as it grows: recall, commits and imports. With five relations a document up to 10,000 of them (what 100,000
 * need takes minutes: `benches/recall/scale.ts`), and 100,000 documents alone through the daemon. */
export async function memoryBench(): Promise<Row[]> {
  return [...await growingRows(), ...await daemonRows()];
}

async function write(path: string, lines: Iterable<string>): Promise<void> {
  using file = await Deno.create(path);
  const encoder = new TextEncoder();
  let held: string[] = [];
  const flush = async () => {
    const bytes = encoder.encode(held.join("\n") + "\n");
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    held = [];
  };
  for (const line of lines) if (held.push(line) >= 5000) await flush();
  if (held.length > 0) await flush();
}

async function growingRows(): Promise<Row[]> {
  using home = new MemoryHome();
  const commit = async () => {
    const samples = await timeEach(300, (i) => {
      const object = `${performance.now()}`;
      home.graph.commit([{ subject: `who ${i % 50}`, predicate: "port", object }], { sentence: `s ${i}` });
      home.recall.sync();
    });
    return percentile(samples, 0.95);
  };
  const empty = await commit();
  const writer = new Writer(7, 30_000);
  const rows: Row[] = [];
  let done = 0, first: number | undefined;
  for (const [size, most] of [[1_000, 5], [10_000, 10]] as const) {
    const path = `${home.folder}/import.jsonl`;
    await write(path, corpus({ from: done, to: size, relations: RELATIONS }, writer));
    const from = performance.now();
    await home.import(path);
    const rate = (size - done) / (performance.now() - from) * 1000;
    done = size;
    const samples = await timeEach(
      QUESTIONS,
      (i) => home.recall.recall(question(Math.abs(i), writer), { top: 8 }),
      WARM_UP,
    );
    const p95 = percentile(samples, 0.95);
    first ??= p95;
    rows.push({
      what: `memory: recall among ${size} documents with 5 relations each, p95`,
      figure: `${ms(p95)} (${times(p95 / first)} of the smallest; imported ${rate.toFixed(0)} documents/s)`,
      floor: `p50 ${ms(percentile(samples, 0.5))}`,
      reach: `≤ ${most} ms`,
      ok: p95 <= most,
    });
  }
  const full = await commit();
  const { entities } = home.graph.stats();
  rows.push({
    what: `memory: commit of a triple with its indexing, among ${entities} entities, p95`,
    figure: `${ms(full)} = ${times(full / empty)}`,
    floor: `${ms(empty)} in an empty graph`,
    reach: "≤ 2.00×",
    ok: full / empty <= 2,
  });
  return rows;
}

async function daemonRows(): Promise<Row[]> {
  if (HOMED.length > 1) throw new Error("The import is measured on the executable: set HOMED_BIN");
  await using folder = await tempFolder();
  const writer = new Writer(7, 30_000);
  const path = `${folder.path}/documents.jsonl`;
  await write(path, corpus({ from: 0, to: DOCUMENTS, relations: 0 }, writer));
  await using daemon = await serve({ home: `${folder.path}/home` });
  await using client = await connect(`${folder.path}/home`);
  const from = performance.now();
  await client.peer.call("memory.import", { path });
  const rate = DOCUMENTS / (performance.now() - from) * 1000;
  const recall = await recallRow(client, writer);
  await new Promise((resolve) => setTimeout(resolve, IDLE));
  const resident = proportionalSize(daemon.pid) / 1024;
  return [
    {
      what: `memory: import of ${DOCUMENTS} documents through the daemon`,
      figure: `${rate.toFixed(0)} documents/s`,
      floor: "one file a document",
      reach: "≥ 2000/s",
      ok: rate >= 2000,
    },
    recall,
    {
      what: "memory: resident a minute after it, proportional set size of the whole tree",
      figure: `${resident.toFixed(0)} MB`,
      floor: "",
      reach: "≤ 350 MB",
      ok: resident <= 350,
    },
  ];
}

async function recallRow(client: Client, writer: Writer): Promise<Row> {
  const samples = await timeEach(
    QUESTIONS,
    (i) => client.peer.call("memory.recall", { query: question(Math.abs(i), writer), top: 8 }),
    WARM_UP,
  );
  const p95 = percentile(samples, 0.95);
  return {
    what: `memory: recall among ${DOCUMENTS} documents through the daemon, p95`,
    figure: ms(p95),
    floor: `p50 ${ms(percentile(samples, 0.5))}`,
    reach: "≤ 40 ms",
    ok: p95 <= 40,
  };
}

if (import.meta.main) { for (const row of await memoryBench()) console.log(row); }

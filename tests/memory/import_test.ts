import assert from "node:assert/strict";
import type { NewDocument } from "../../memory/documents/documents.ts";
import { type Fact, Graph } from "../../memory/graph/graph.ts";
import { type ImportedMedia, type ImportedMessage, importLines, type ImportSinks } from "../../memory/import.ts";

/** Sinks that keep what they get. */
function keeping() {
  const got = {
    relations: [] as Fact[],
    documents: [] as NewDocument[],
    messages: [] as ImportedMessage[],
    knowledge: [] as { name: string; content: string }[],
    media: [] as ImportedMedia[],
    batches: [] as number[],
  };
  const sinks: ImportSinks = {
    attributes() {},
    entities() {},
    relations: (facts) => void got.relations.push(...facts),
    documents: (documents) => {
      got.batches.push(documents.length);
      got.documents.push(...documents);
    },
    messages: (messages) => void got.messages.push(...messages),
    knowledge: (entry) => void got.knowledge.push(entry),
    media: (media) => void got.media.push(media),
  };
  return { got, sinks };
}

/** A byte stream cut at every `step` bytes. */
function stream(text: string, step = 7): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += step));
    },
  });
}

Deno.test("importLines() takes every kind and reports bad lines by number", async () => {
  const { got, sinks } = keeping();
  const lines = [
    `{"kind":"relation","subject":"小诺","predicate":"过敏","object":"腰果","mood":"sure"}`,
    `{"kind":"document","content":"一","title":"t","at":"2025-01-01T00:00:00Z","colour":"red"}`,
    `not json`,
    `{"kind":"message","role":"user","text":"你好"}`,
    `{"kind":"relation","subject":"x","predicate":"p"}`,
    ``,
    `{"kind":"knowledge","name":"k","content":"c"}`,
    `{"kind":"document","content":"x","at":"yesterday"}`,
    `{"kind":"dream"}`,
    `[1]`,
    `{"kind":"media","digest":"${"0".repeat(64)}","mime":"image/png","data":"AAAA"}`,
  ];
  const report = await importLines(stream(lines.join("\r\n") + "\n"), sinks);
  assert.deepEqual(report.rejected.map((entry) => entry.line), [3, 5, 8, 9, 10, 11]);
  for (const { reason } of report.rejected) assert.ok(reason.length > 10);
  assert.deepEqual(report.counts, { rejected: 6, relation: 1, document: 1, message: 1, knowledge: 1 });
  assert.deepEqual(got.relations[0]!.extra, { mood: "sure" });
  assert.equal(got.documents[0]!.colour, "red");
});

Deno.test("importLines() gives lines without an id the same one every time", async () => {
  const text = [
    `{"kind":"relation","subject":"a","predicate":"p","object":"b","at":"2025-01-01T00:00:00Z"}`,
    `{"kind":"document","content":"same"}`,
    `{"kind":"message","role":"agent","text":"hi","at":"2025-01-01T00:00:00Z"}`,
  ].join("\n");
  const ids = async (step: number) => {
    const { got, sinks } = keeping();
    await importLines(stream(text, step), sinks, { now: step });
    return [got.relations[0]!.id, got.documents[0]!.id, got.messages[0]!.id];
  };
  assert.deepEqual(await ids(1), await ids(1000));
});

Deno.test("importLines() into a graph twice changes nothing the second time", async () => {
  using graph = new Graph(":memory:");
  const { sinks } = keeping();
  sinks.relations = (facts) => void graph.commit(facts, { source: "import" });
  const lines = Array.from(
    { length: 50 },
    (_, i) =>
      `{"kind":"relation","subject":"s${i % 7}","predicate":"port","object":"${8000 + i}","at":"2025-01-0${
        i % 9 + 1
      }T00:00:00Z"}`,
  );
  const dump = () => [...graph.iterate()].map((r) => JSON.stringify(r)).sort();
  await importLines(stream(lines.join("\n"), 4096), sinks);
  const before = dump();
  await importLines(stream(lines.join("\n"), 4096), sinks);
  assert.deepEqual(dump(), before);
});

Deno.test("importLines() hands over bounded batches, and rejects the lines alone that a sink refuses", async () => {
  const { got, sinks } = keeping();
  const keep = sinks.documents;
  sinks.documents = (documents) => {
    if (documents.some(({ id }) => id === "13")) throw new Error("unlucky");
    return keep(documents);
  };
  const lines = Array.from({ length: 25 }, (_, i) => `{"kind":"document","id":"${i}","content":"c${i}"}`);
  const report = await importLines(stream(lines.join("\n"), 500), sinks, { batch: 10 });
  assert.deepEqual(got.batches, [10, ...Array(9).fill(1), 5]);
  assert.equal(report.counts.document, 24);
  assert.deepEqual(report.rejected, [{ line: 14, reason: "unlucky" }]);
});

Deno.test("importLines() ends at a full disk, for every later line would be refused too", async () => {
  const { sinks } = keeping();
  let calls = 0;
  sinks.documents = () => {
    calls++;
    throw Object.assign(new Error("No space left on device"), { code: "ENOSPC" });
  };
  const lines = Array.from({ length: 40 }, (_, i) => `{"kind":"document","id":"${i}","content":"c${i}"}`);
  await assert.rejects(importLines(stream(lines.join("\n"), 500), sinks, { batch: 10 }), /No space/);
  assert.equal(calls, 1);
});

Deno.test("importLines() takes texts that stores would cut or spoil as they can be kept", async () => {
  const { got, sinks } = keeping();
  const lines = [
    String.raw`{"kind":"relation","subject":"a\u0000b","predicate":"is","object":"half \ud83d"}`,
    String.raw`{"kind":"document","id":"\ud800","content":"x\u0000y","thread":"t","n":1e400}`,
    String.raw`{"kind":"document","id":"e","content":"x","event":{"kind":5},"derived":true}`,
    String.raw`{"kind":"document","id":"f","content":"x","event":{"kind":"user","input":"x","channel":"cli"}}`,
    String
      .raw`{"kind":"relation","subject":"a","predicate":"is","object":"b","valid_from":"2020-01-01","valid_to":"2019-01-01"}`,
    "\ufeff" + String.raw`{"kind":"message","role":"user","text":"😀 \ud83d\ude00"}`,
  ];
  const { rejected } = await importLines(stream("\ufeff" + lines.join("\r\n")), sinks);
  assert.deepEqual(rejected, [{ line: 5, reason: '"valid_to" is before "valid_from"' }]);
  assert.deepEqual([got.relations[0]!.subject, got.relations[0]!.object], ["a b", "half \ufffd"]);
  const [odd, stranger, own] = got.documents;
  assert.deepEqual([odd!.id, odd!.content, odd!.n], ["\ufffd", "x y", undefined]);
  assert.deepEqual([stranger!.event, stranger!.derived], [undefined, undefined]);
  assert.deepEqual(own!.event, { kind: "user", input: "x", channel: "cli" });
  assert.equal(got.messages[0]!.text, "😀 😀");
});

Deno.test("importLines() stops at a signal", async () => {
  const { sinks } = keeping();
  const signal = AbortSignal.abort(new Error("stop"));
  await assert.rejects(importLines(stream(`{"kind":"document","content":"x"}\n`), sinks, { signal }), /stop/);
});

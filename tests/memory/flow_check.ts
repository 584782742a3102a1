import assert from "node:assert/strict";
import { sentenceHash } from "../../memory/flow.ts";
import type { Memory } from "../../memory/memory.ts";

/** Events that recall can find: what the agent said is no source. */
function findable(context: Memory["context"]): string[] {
  return context.events().filter(({ kind, input, response }) =>
    kind !== "agent" && (input !== undefined || response === undefined)
  ).map(({ id }) => id);
}

/** Everything that must hold of a home at rest: each id in one tier, indexes equal to their sources, references right,
 * nothing half done. */
export function checkConsistent(memory: Memory): void {
  const { context, documents, index, media, graph } = memory;
  const events = context.events().map((event) => event.id).sort();
  const files = [...documents.iterate()].map((document) => document.id).sort();
  assert.deepEqual(events.filter((id) => files.includes(id)), [], "nothing is in two tiers");
  const units = (kind: string) =>
    index.db.prepare("SELECT id FROM units WHERE kind = ? ORDER BY id").all(kind).map((row) => row.id);
  assert.deepEqual(units("document"), files, "the index has the documents");
  assert.deepEqual(index.db.prepare("SELECT id FROM documents ORDER BY id").all().map((row) => row.id), files);
  const imported = [...memory.text.read(null)].flatMap(({ record }) => record.id ?? []);
  assert.deepEqual(
    units("message"),
    [...findable(context), ...imported].sort(),
    "the index has the context and imports",
  );
  memory.recall.sync();
  assert.deepEqual(units("relation"), [...graph.iterate()].map((relation) => relation.id).sort(), "and the graph");
  const expected = [
    ...context.events().flatMap((event) => (event.media ?? []).map((digest) => `context ${event.id} ${digest}`)),
    ...[...documents.iterate()].flatMap((document) =>
      (document.media_digests ?? []).map((digest) => `document ${document.id} ${digest}`)
    ),
    ...new Set(
      [...graph.iterate()].flatMap((relation) =>
        (relation.media ?? []).map((digest) => `graph_sentence ${sentenceHash(relation.sentence!)} ${digest}`)
      ),
    ),
  ].sort();
  const kept = media!.all().flatMap(({ digest }) =>
    media!.references(digest).map(({ kind, owner }) => `${kind} ${owner} ${digest}`)
  ).sort();
  assert.deepEqual(kept, expected, "references are those of the tiers");
  assert.deepEqual(memory.tiers.journal.open([]), [], "no movement is half done");
}

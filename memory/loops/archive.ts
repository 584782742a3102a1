import { createHash } from "node:crypto";
import { extractFacts } from "../../core/base/facts/mod.ts";
import type { Triple } from "../../core/wire/memory.ts";
import type { MemoryDocument } from "../documents/document.ts";
import type { NewDocument } from "../documents/documents.ts";
import { GRAPH_DAMAGED } from "../graph/damage.ts";
import { isCurrent } from "../graph/rows.ts";
import type { LoopState } from "../heartbeat.ts";
import type { Memory } from "../memory.ts";
import { copyDatabase } from "../sqlite.ts";
import { nameKey } from "../words/fold.ts";
import { arrayIn, quote } from "./answer.ts";

/** Documents that one question to the model is about. */
const ASKED_AT_ONCE = 8;
/** Documents that rules look at in one beat. */
const RULED_AT_ONCE = 200;
/** Entities with at least this many current relations get a derived document; people always do. */
const WORTH_A_DOCUMENT = 3;
/** Relations whose ends are shown in one go. */
const SHOWN_AT_ONCE = 100;
const DAY = 24 * 3_600_000;

/** Documents that rules found nothing in, while there is no model to ask: not read again in this run. */
const tried = new WeakMap<Memory, Set<string>>();

/** Cold documents become facts; then the documents derived from the graph and its backup are brought up to it. */
export async function archiveCold(memory: Memory, state: LoopState): Promise<number> {
  const moved = await distillCold(memory);
  const shown = await showGraph(memory, state);
  await memory.gate.shared(() => keepBackup(memory, state));
  memory.checkpoint();
  return moved + shown;
}

async function distillCold(memory: Memory): Promise<number> {
  const { documents, settings, ports } = memory;
  const seen = tried.get(memory) ?? new Set();
  tried.set(memory, seen);
  const states = documents.cold(ports.clock.now() - settings.cold_after, {
    maxAccesses: settings.cold_max_accesses,
    limit: seen.size + RULED_AT_ONCE,
  });
  const cold = states.filter(({ id }) => !seen.has(id)).flatMap(({ id }) => documents.get(id) ?? []);
  const own = cold.filter((document) => {
    if (isDistillable(document)) return true;
    // Kept as a document for good, and not looked at again.
    warm(memory, document.id);
    return false;
  });
  let moved = 0;
  const left: MemoryDocument[] = [];
  for (const document of own) {
    const triples = isOwnWords(document) ? extractFacts(document.content).map(tripleOf) : [];
    if (triples.length > 0) moved += await move(memory, document, triples);
    else left.push(document);
  }
  const asked = left.slice(0, ASKED_AT_ONCE);
  const answer = asked.length > 0 ? await ports.decide({ kind: "distill", prompt: promptOf(asked) }) : null;
  if (answer === null) {
    for (const document of left) seen.add(document.id);
    return moved;
  }
  const found = triplesIn(answer, asked.length);
  for (const [i, document] of asked.entries()) {
    if (found[i]!.length > 0) moved += await move(memory, document, found[i]!);
    else warm(memory, document.id);
  }
  return moved;
}

async function move(memory: Memory, document: MemoryDocument, triples: Triple[]): Promise<number> {
  return await memory.gate.exclusive(() => {
    // The model took its time: the document may have been consumed, or forgotten.
    if (!memory.documents.has(document.id)) return 0;
    // Known facts keep the words they were first told in: a document that has other words stays, else those were lost.
    if (isSayingMore(document, memory.graph.wordsOf(triples))) {
      warm(memory, document.id);
      return 0;
    }
    memory.flow.distill(document, triples);
    memory.recall.sync();
    return 1;
  });
}

/** Whether a document says more than the sentences that its facts are known from. */
function isSayingMore({ title = "", content }: MemoryDocument, known: string[] | undefined): boolean {
  if (!known) return false;
  const rest = known.reduce((text, sentence) => text.replaceAll(sentence, " "), `${title}\n${content}`);
  return /[\p{L}\p{N}]/u.test(rest);
}

function isDistillable(document: MemoryDocument): boolean {
  return !document.derived && !document.untrusted && document.content.trim() !== "";
}

/** The rules take "I" for the owner: they are for what the owner said, not for notes and imports. */
function isOwnWords(document: MemoryDocument): boolean {
  return (document.event as { kind?: string } | undefined)?.kind === "user";
}

/** Counts as used often enough never to be cold again. */
function warm({ documents, settings }: Memory, id: string): void {
  for (let i = 0; i <= settings.cold_max_accesses; i++) documents.touch([id]);
}

function tripleOf({ subject, predicate, object, confidence, subject_type, object_type }: Triple): Triple {
  return {
    subject,
    predicate,
    object,
    ...(confidence !== undefined && { confidence }),
    ...(subject_type !== undefined && { subject_type }),
    ...(object_type !== undefined && { object_type }),
  };
}

function promptOf(documents: MemoryDocument[]): string {
  const list = documents.map(({ title, content, at }, i) =>
    `${i + 1}. (${new Date(at).toISOString()}) ${quote([title, content].filter((text) => text).join("\n"), 1500)}`
  );
  return [
    "These are old notes from memory, quoted as data. Extract the lasting facts that each of them states, as triples.",
    'Write no fact that is not said. The person who speaks is called "user". Call no tools.',
    'Answer with a JSON array alone: [{"n":1,"triples":[{"subject":"…","predicate":"…","object":"…","confidence":0.9}]}]',
    ...list,
  ].join("\n");
}

function triplesIn(answer: string, count: number): Triple[][] {
  const found: Triple[][] = Array.from({ length: count }, () => []);
  for (const { n, triples } of arrayIn(answer) ?? []) {
    const list = typeof n === "number" ? found[n - 1] : undefined;
    if (!list || !Array.isArray(triples)) continue;
    for (const triple of triples as Record<string, unknown>[]) {
      const { subject, predicate, object, confidence } = triple ?? {};
      if (![subject, predicate, object].every((part) => typeof part === "string" && part.trim() !== "")) continue;
      const sure = typeof confidence === "number" && confidence >= 0 && confidence <= 1 ? { confidence } : {};
      list.push({ subject, predicate, object, ...sure } as Triple);
    }
  }
  return found;
}

/** Keeps one derived document for each person and well-connected thing, which says what is known of it at present. Only
 * what changed since the last beat is looked at, a page at a time. */
async function showGraph(memory: Memory, state: LoopState): Promise<number> {
  const { graph, documents, index, gate } = memory;
  const change = graph.change;
  if (change === state.snapshot) return 0;
  let shown = 0;
  for (let at = { change: state.snapshot, id: "\uffff" }, more = true; more;) {
    const page = graph.changedSince(at, SHOWN_AT_ONCE);
    const names = new Set(page.flatMap(({ subject, object }) => [subject, object]));
    shown += await gate.exclusive(() => show(memory, names));
    at = page.at(-1) ?? at;
    more = page.length === SHOWN_AT_ONCE;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  // What has lost its last relation, or its node, is in no page: its document knows its name.
  const rows = index.db.prepare("SELECT id FROM documents WHERE derived = 1 AND source = 'graph'").all();
  for (const { id } of rows as { id: string }[]) {
    const name = documents.get(id)?.title;
    if (name !== undefined && graph.relationsOf(name, { limit: 1 }).length > 0 && graph.entity(name)?.name === name) {
      continue;
    }
    shown += await gate.exclusive(() => documents.remove(id)) ? 1 : 0;
  }
  state.snapshot = change;
  return shown;
}

function show({ graph, documents, ports }: Memory, names: Iterable<string>): number {
  const now = ports.clock.now();
  const made: NewDocument[] = [];
  for (const name of names) {
    const entity = graph.entity(name);
    if (!entity) continue;
    const current = graph.relationsOf(name).filter((relation) => isCurrent(relation, now));
    const isWorth = current.length >= WORTH_A_DOCUMENT || (entity.type === "person" && current.length > 0);
    const id = `graph-${createHash("sha256").update(nameKey(entity.name)).digest("hex").slice(0, 24)}`;
    if (!isWorth) {
      documents.remove(id);
      continue;
    }
    const lines = current.map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`).sort();
    const content = [entity.description, ...lines].filter((line) => line !== "").join("\n");
    if (documents.get(id)?.content === content) continue;
    made.push({ id, title: entity.name, content, at: now, source: "graph", derived: true });
  }
  documents.putMany(made);
  return made.length;
}

/** At most one copy a day of what no other file could bring back, to fall back on when a database cannot be read. */
async function keepBackup(memory: Memory, state: LoopState): Promise<void> {
  const { graph, media, ports, backupPath } = memory;
  const now = ports.clock.now(), change = graph.change, sum = media?.sum ?? "";
  if (now - state.backup.at < DAY) return;
  if (media && sum !== state.backup.media && await media.keepBackup()) {
    state.backup = { ...state.backup, at: now, media: sum };
  }
  if (change === state.backup.change) return;
  if (await copyDatabase(graph.db, backupPath)) state.backup = { ...state.backup, change, at: now };
  // The sound copy of before is not given up for a broken one.
  else if (graph.isDamaged()) ports.log.error(GRAPH_DAMAGED);
}

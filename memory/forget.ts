import { dirname, join } from "node:path";
import { MediaStore } from "./media_store.ts";
import type { Memory } from "./memory.ts";
import { sentenceHash } from "./flow.ts";
import { scrubDatabase } from "./sqlite_scrub.ts";
import type { TextCursor } from "./text_log.ts";
import { bytesMention, mentionOf, type Mentions, textsIn } from "./mention.ts";
import { fold, nameKey } from "./words/fold.ts";

/** How much of each kind went, or would go. */
export type ForgetCounts = Record<
  | "entities"
  | "relations"
  | "sentences"
  | "documents"
  | "context_events"
  | "messages"
  | "media"
  | "knowledge"
  | "undo"
  | "files",
  number
>;

/** Removes a person or thing from everything the memory keeps, so that no byte of the name is left in any of its files:
 * graph, documents, context and its log, text log, media, knowledge lines, indexes, set-aside files, backups and what
 * could be undone. It cannot be taken back. `dryRun` only counts. Answers also with the names it goes by, for whoever
 * keeps more than the memory, with the ids of context events that went, for whoever holds them in its window, and with
 * where the text log's `cursor` is now. */
export async function forget(
  memory: Memory,
  name: string,
  options: { dryRun: boolean; cursor: TextCursor | null },
): Promise<{ counts: ForgetCounts; names: string[]; events: string[]; cursor: TextCursor | null }> {
  const names = namesOf(memory, name);
  const mentions = mentionOf(names);
  const { graph, documents, context, text, knowledge, undo, index, recall } = memory;
  using opened = memory.media ? undefined : mediaTurnedOff(memory);
  const media = memory.media ?? opened;

  const own = new Set(names.map(fold));
  const entities = [...graph.entities()].filter((entity) =>
    mentions(entity.name) || entity.aliases.some((alias) => own.has(fold(alias)))
  );
  const described = [...graph.entities()].filter((entity) =>
    !entities.some((gone) => gone.name === entity.name) && mentions(entity.description)
  );
  const touched = new Set(entities.map((entity) => entity.name));
  const sentences = new Set<string>();
  const said: string[] = [];
  let relations = 0;
  for (const { id, subject, object, predicate, source, extra, sentence } of graph.iterate()) {
    if (sentence && mentions(sentence)) sentences.add(sentence);
    if (touched.has(subject) || touched.has(object)) relations++;
    else if (mentions([id, predicate, source, textsIn(extra)].join("\n"))) said.push(id);
  }
  const gone = [...documents.iterate()].filter((document) => mentions(textsIn(document)));
  const events = context.events().filter((event) => mentions(textsIn(event)));
  const blobs = media ? blobsOf(media, { mentions, sentences, documents: gone, events }) : [];
  const pages = knowledge.list().filter(({ name: page }) => mentions(page) || mentions(knowledge.content(page) ?? ""));
  const counts: ForgetCounts = {
    entities: entities.length,
    relations: relations + said.length,
    sentences: sentences.size,
    documents: gone.length,
    context_events: events.length,
    messages: [...text.read(null)].filter(({ record }) => mentions(textsIn(record))).length,
    media: blobs.length,
    knowledge: pages.length,
    undo: undo.list().filter((item) => mentions(textsIn(item))).length,
    files: 0,
  };
  const left = events.map((event) => event.id);
  if (options.dryRun) return { counts, names, events: left, cursor: options.cursor };

  for (const entity of entities) graph.deleteEntity(entity.name, "purge", { exact: true });
  for (const id of said) graph.removeRelation(id);
  for (const entity of described) graph.setEntity(entity.name, { description: "" });
  graph.forgetWords(mentions);
  for (const hash of [...sentences].map(sentenceHash)) {
    // A fact about others may have been said in a sentence that names who is forgotten: the fact stays without it.
    graph.dropSentence(hash);
    media?.setReferences("graph_sentence", hash, []);
  }
  documents.removeMany(gone.map((document) => document.id));
  while (documents.settle());
  await context.remove(events.map((event) => event.id));
  await context.scrub();
  for (const event of events) index.remove("message", event.id);
  const { cursor } = await text.rewrite((record) => {
    if (!mentions(textsIn(record))) return record;
    if (record.id !== undefined) index.remove("message", record.id);
    return null;
  }, options.cursor);
  for (const { name: page } of pages) forgetPage(memory, page, mentions);
  for (const digest of blobs) media?.forget(digest);
  memory.flow.reconcileReferences();
  undo.scrub(mentions);

  recall.sync();
  // What a forgetting that was killed half way left of things whose sources are gone.
  for (const { kind, id } of index.matching((unit) => mentions(textsIn(unit)))) index.remove(kind, id);
  graph.settle();
  index.settle();
  media?.settle();
  scrubDatabase(graph.db, memory.settings.graph);
  scrubDatabase(index.db, memory.indexPath);
  counts.files = sweep(memory, mentions);
  return { counts, names, events: left, cursor };
}

/** The name as given, those of whom it is a name or an alias, and their aliases: but none that somebody else has too,
 * who is not meant. */
function namesOf({ graph }: Memory, name: string): string[] {
  const key = nameKey(name);
  const meant = [...graph.entities()].filter((entity) =>
    [entity.name, ...entity.aliases].some((one) => nameKey(one) === key)
  );
  const isOwn = (alias: string) =>
    [...alias].length > 1 && graph.bearers(alias).every((bearer) => meant.some((entity) => entity.name === bearer));
  const names = meant.flatMap((entity) => [entity.name, ...entity.aliases.filter(isOwn)]);
  return [...new Set([name.trim(), ...names])].filter((one) => one !== "");
}

/** The media that there are though they are turned off. */
function mediaTurnedOff({ settings, store, ports }: Memory): (MediaStore & Disposable) | undefined {
  const folder = settings.media_dir;
  if (!store.list(folder).some(({ name }) => name === "media.db")) return undefined;
  const kept = new MediaStore({ store, folder, now: () => ports.clock.now() });
  return Object.assign(kept, { [Symbol.dispose]: () => kept.close() });
}

/** Media that only what is forgotten refers to, or whose description names it. */
function blobsOf(
  media: MediaStore,
  gone: {
    mentions: Mentions;
    sentences: Set<string>;
    documents: { id: string }[];
    events: { id: string }[];
  },
): string[] {
  const owners = new Set([
    ...gone.documents.map(({ id }) => `document ${id}`),
    ...gone.events.map(({ id }) => `context ${id}`),
    ...[...gone.sentences].map((sentence) => `graph_sentence ${sentenceHash(sentence)}`),
  ]);
  return media.all().filter(({ digest, description }) => {
    if (gone.mentions(description)) return true;
    const references = media.references(digest);
    return references.length > 0 && references.every(({ kind, owner }) => owners.has(`${kind} ${owner}`));
  }).map(({ digest }) => digest);
}

/** Takes the lines of a page that name it; a page that is left empty, or is named so itself, goes as a whole. */
function forgetPage({ knowledge }: Memory, page: string, mentions: Mentions): void {
  const kept = (knowledge.content(page) ?? "").split("\n").filter((line) => !mentions(line)).join("\n");
  if (mentions(page) || kept.trim() === "") knowledge.remove(page);
  else knowledge.add(page, kept, { replace: true });
}

/** Removes files that are nobody's living state and still have the name in them: backups, what was set aside, what a
 * crash left. Living files were rewritten above. */
function sweep(memory: Memory, mentions: Mentions): number {
  const { store, settings } = memory;
  const isLeftOver = (name: string) => /\.damaged-|\.tmp$|\.new$|\.bak$/.test(name);
  let removed = 0;
  const visit = (folder: string) => {
    for (const entry of store.list(folder)) {
      const path = join(folder, entry.name);
      if (entry.folder) visit(path);
      else if (isLeftOver(entry.name) && bytesMention(store.read(path) ?? new Uint8Array(), mentions)) {
        store.remove(path);
        removed++;
      }
    }
  };
  const { context, documents, text, media_dir, knowledge } = settings;
  const roots = [dirname(context), documents, text, media_dir, knowledge];
  for (const root of roots.filter((root, i) => !roots.some((other, j) => j !== i && root.startsWith(`${other}/`)))) {
    visit(root);
  }
  return removed;
}

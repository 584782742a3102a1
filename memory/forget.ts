import { dirname, join } from "node:path";
import type { Memory } from "./memory.ts";
import { sentenceHash } from "./flow.ts";
import { scrubDatabase } from "./sqlite_scrub.ts";
import type { TextCursor } from "./text_log.ts";
import { fold, isHan } from "./words/fold.ts";

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
 * could be undone. It cannot be taken back. `dryRun` only counts. Answers also with the ids of context events that went,
 * for whoever holds them in its window, and with where the text log's `cursor` is now. */
export async function forget(
  memory: Memory,
  name: string,
  options: { dryRun: boolean; cursor: TextCursor | null },
): Promise<{ counts: ForgetCounts; events: string[]; cursor: TextCursor | null }> {
  const names = namesOf(memory, name);
  const mentions = mentionOf(names);
  const { graph, documents, context, text, media, knowledge, undo, index, recall } = memory;

  const entities = [...graph.entities()].filter((entity) =>
    names.includes(entity.name) || mentions(entity.name) || entity.aliases.some(mentions)
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
    else if (mentions(`${predicate}\n${source}\n${extra === undefined ? "" : JSON.stringify(extra)}`)) said.push(id);
  }
  const gone = [...documents.iterate()].filter((document) => mentions(JSON.stringify(document)));
  const events = context.events().filter((event) => mentions(JSON.stringify(event)));
  const blobs = media ? blobsOf(memory, { mentions, sentences, documents: gone, events }) : [];
  const pages = knowledge.list().filter(({ name: page }) => mentions(page) || mentions(knowledge.content(page) ?? ""));
  const counts: ForgetCounts = {
    entities: entities.length,
    relations: relations + said.length,
    sentences: sentences.size,
    documents: gone.length,
    context_events: events.length,
    messages: [...text.read(null)].filter(({ record }) => mentions(JSON.stringify(record))).length,
    media: blobs.length,
    knowledge: pages.length,
    undo: undo.list().filter((item) => mentions(JSON.stringify(item))).length,
    files: 0,
  };
  const left = events.map((event) => event.id);
  if (options.dryRun) return { counts, events: left, cursor: options.cursor };

  for (const entity of entities) graph.purge(entity.name);
  for (const id of said) graph.removeRelation(id);
  for (const entity of described) graph.setEntity(entity.name, { description: "" });
  dropSentences(memory, sentences);
  documents.removeMany(gone.map((document) => document.id));
  while (documents.settle());
  await context.remove(events.map((event) => event.id));
  await context.scrub();
  for (const event of events) index.remove("message", event.id);
  const { cursor } = await text.rewrite((record) => {
    if (!mentions(JSON.stringify(record))) return record;
    if (record.id !== undefined) index.remove("message", record.id);
    return null;
  }, options.cursor);
  for (const { name: page } of pages) forgetPage(memory, page, mentions);
  for (const digest of blobs) media?.forget(digest);
  memory.flow.reconcileReferences();
  undo.scrub(mentions);

  recall.sync();
  graph.settle();
  index.settle();
  media?.settle();
  scrubDatabase(graph.db, memory.settings.graph);
  scrubDatabase(index.db, memory.indexPath);
  counts.files = sweep(memory, names);
  return { counts, events: left, cursor };
}

/** The name as given, as the graph has it, and its aliases. */
function namesOf(memory: Memory, name: string): string[] {
  const entity = memory.graph.entity(name);
  const aliases = (entity?.aliases ?? []).filter((alias) => [...alias].length > 1);
  return [...new Set([name.trim(), ...(entity ? [entity.name] : []), ...aliases])].filter((one) => one !== "");
}

/** Whether a text names one of these, however it is written: capitals, widths, simplified or traditional. A Latin name
 * is met as a word: "Ann" is not in "Anniversary". */
function mentionOf(names: string[]): (text: string) => boolean {
  const wanted = names.map(fold).filter((name) => name !== "");
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);
  return (text) => {
    const folded = fold(text);
    return wanted.some((name) => {
      for (let at = folded.indexOf(name); at >= 0; at = folded.indexOf(name, at + 1)) {
        const startsInside = !isHan(name.charCodeAt(0)) && isWord(folded[at - 1]) && !isHan(folded.charCodeAt(at - 1));
        const after = at + name.length;
        const endsInside = !isHan(name.charCodeAt(name.length - 1)) && isWord(folded[after]) &&
          !isHan(folded.charCodeAt(after));
        if (!startsInside && !endsInside) return true;
      }
      return false;
    });
  };
}

/** Media that only what is forgotten refers to, or whose description names it. */
function blobsOf(
  { media }: Memory,
  gone: {
    mentions: (text: string) => boolean;
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
  return media!.all().filter(({ digest, description }) => {
    if (gone.mentions(description)) return true;
    const references = media!.references(digest);
    return references.length > 0 && references.every(({ kind, owner }) => owners.has(`${kind} ${owner}`));
  }).map(({ digest }) => digest);
}

/** A fact about others may have been said in a sentence that names who is forgotten: the fact stays without it. */
function dropSentences({ graph, media }: Memory, sentences: Set<string>): void {
  for (const sentence of sentences) {
    const hash = sentenceHash(sentence);
    graph.dropSentence(hash);
    media?.setReferences("graph_sentence", hash, []);
  }
}

/** Takes the lines of a page that name it; a page that is left empty, or is named so itself, goes as a whole. */
function forgetPage({ knowledge }: Memory, page: string, mentions: (text: string) => boolean): void {
  const kept = (knowledge.content(page) ?? "").split("\n").filter((line) => !mentions(line)).join("\n");
  if (mentions(page) || kept.trim() === "") knowledge.remove(page);
  else knowledge.add(page, kept, { replace: true });
}

/** Removes files that are nobody's living state and still have the name in them: backups, what was set aside, what a
 * crash left. Living files were rewritten above. */
function sweep(memory: Memory, names: string[]): number {
  const { store, settings } = memory;
  const needles = names.map((name) => new TextEncoder().encode(name));
  const isLeftOver = (name: string) => /\.damaged-|\.tmp$|\.new$|\.bak$/.test(name);
  let removed = 0;
  const visit = (folder: string) => {
    for (const entry of store.list(folder)) {
      const path = join(folder, entry.name);
      if (entry.folder) visit(path);
      else if (isLeftOver(entry.name) && contains(store.read(path) ?? new Uint8Array(), needles)) {
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

function contains(bytes: Uint8Array, needles: Uint8Array[]): boolean {
  const text = new TextDecoder("latin1").decode(bytes);
  return needles.some((needle) => text.includes(new TextDecoder("latin1").decode(needle)));
}

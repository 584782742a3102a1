import { join } from "node:path";
import { HomedError } from "../core/base/errors.ts";
import { RPC_CODES, RpcError } from "../core/wire/rpc.ts";
import type { FileStore } from "./files.ts";
import type { SearchIndex } from "./index/search_index.ts";

/** Characters of one piece of an entry, as it is found and shown; cut at paragraphs where they end in time. */
const PIECE = 1_200;
/** Folders that a person edits are looked at again after this many milliseconds, not at every question. */
const LOOK_AGAIN = 2_000;

export interface KnowledgeItem {
  name: string;
  bytes: number;
  title: string;
}

interface Known {
  /** As it is on disk; a person may have named it in a way that we would not. */
  folder: string;
  modified: number;
  size: number;
  pieces: number;
}

/** The knowledge base: `knowledge/<name>/content.md` are the truth, edited by anyone at any time; the index follows. */
export class Knowledge {
  readonly #store: FileStore;
  readonly #folder: string;
  readonly #index: SearchIndex;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();
  #lookedAt = -Infinity;

  constructor(options: { store: FileStore; folder: string; index: SearchIndex; now: () => number }) {
    this.#store = options.store;
    this.#folder = options.folder;
    this.#index = options.index;
    this.#now = options.now;
    for (const row of this.#index.db.prepare("SELECT id FROM units WHERE kind = 'knowledge'").all()) {
      const name = nameOfPiece(row.id as string);
      const [modified = NaN, size = NaN, pieces = NaN] = String(this.#index.meta(metaName(name)) ?? "").split(" ").map(
        Number,
      );
      this.#known.set(name, { folder: folderOf(name), modified, size, pieces });
    }
  }

  /** Adds an entry; durable when it returns.
   * @throws RpcError conflict when there is one of this name, also in other capitals, and `replace` is not set */
  add(name: string, content: string, options: { replace?: boolean } = {}): string {
    this.refresh({ force: true });
    const tidy = name.normalize("NFC").trim();
    const folder = folderOf(tidy);
    const same = [...this.#known.keys()].find((other) => folderOf(other).toLowerCase() === folder.toLowerCase());
    if (same !== undefined && !options.replace) {
      throw new RpcError(
        RPC_CODES.conflict,
        `There is knowledge named "${same}" already: choose another name, or replace it`,
      );
    }
    this.#store.write(
      join(this.#folder, this.#folderOf(same ?? tidy), "content.md"),
      new TextEncoder().encode(content),
    );
    this.refresh({ force: true });
    return same ?? tidy;
  }

  /** The text of an entry, or undefined. */
  content(name: string): string | undefined {
    const bytes = this.#store.read(join(this.#folder, this.#folderOf(name), "content.md"));
    return bytes === null ? undefined : new TextDecoder().decode(bytes);
  }

  remove(name: string): void {
    this.#store.remove(join(this.#folder, this.#folderOf(name)));
    this.refresh({ force: true });
  }

  list(): KnowledgeItem[] {
    this.refresh({ force: true });
    return [...this.#known].map(([name, { size }]) => ({
      name,
      bytes: size,
      title: titleOf(this.content(name) ?? "", name),
    }));
  }

  get count(): number {
    this.refresh();
    return this.#known.size;
  }

  /** Brings the index up to what the folders hold now. Unchanged files are not read. */
  refresh(options: { force?: boolean } = {}): void {
    if (!options.force && this.#now() - this.#lookedAt < LOOK_AGAIN) return;
    this.#lookedAt = this.#now();
    const seen = new Set<string>();
    for (const entry of this.#store.list(this.#folder)) {
      if (!entry.folder) continue;
      const file = this.#store.list(join(this.#folder, entry.name)).find((one) =>
        one.name === "content.md" && !one.folder
      );
      if (!file) continue;
      const name = nameOf(entry.name);
      seen.add(name);
      const known = this.#known.get(name);
      const now: Known = { folder: entry.name, modified: file.modified, size: file.size, pieces: known?.pieces ?? 0 };
      this.#known.set(name, now);
      if (known?.modified !== file.modified || known.size !== file.size) this.#put(name, now);
    }
    for (const name of [...this.#known.keys()]) if (!seen.has(name)) this.#drop(name);
  }

  /** Puts everything into an index that was emptied. */
  rebuild(): void {
    this.#known.clear();
    this.refresh({ force: true });
  }

  #folderOf(name: string): string {
    return this.#known.get(name)?.folder ?? folderOf(name);
  }

  #put(name: string, known: Known): void {
    const content = this.content(name) ?? "";
    const title = titleOf(content, name);
    const pieces = cut(content);
    this.#index.batch(() => {
      this.#removePieces(name, known.pieces);
      this.#index.putMany(pieces.map((text, i) => ({
        kind: "knowledge",
        id: `${name}#${i}`,
        title,
        text,
        at: Math.round(known.modified),
        thread: `knowledge ${name}`,
        n: i,
      })));
      this.#index.setMeta(metaName(name), `${known.modified} ${known.size} ${pieces.length}`);
    });
    this.#known.set(name, { ...known, pieces: pieces.length });
  }

  #drop(name: string): void {
    this.#index.batch(() => {
      this.#removePieces(name, this.#known.get(name)?.pieces ?? 0);
      this.#index.db.prepare("DELETE FROM meta WHERE name = ?").run(metaName(name));
    });
    this.#known.delete(name);
  }

  #removePieces(name: string, pieces: number): void {
    for (let i = 0; i < pieces || this.#index.get("knowledge", `${name}#${i}`); i++) {
      this.#index.remove("knowledge", `${name}#${i}`);
    }
  }
}

/** The entry a piece in the index belongs to. */
export function nameOfPiece(id: string): string {
  return id.slice(0, id.lastIndexOf("#"));
}

const metaName = (name: string) => `knowledge:${name}`;

const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A folder's name for an entry's name that every file system takes: what some of them refuse is written `%XX`.
 * @throws HomedError when the name is empty or too long */
function folderOf(name: string): string {
  if (name === "" || name === "." || name === "..") {
    throw new HomedError("bad_name", `Cannot use "${name}" as a name for knowledge`);
  }
  let folder = name.replace(/[<>:"/\\|?*%\p{Cc}]|^\.|[. ]$/gu, escape);
  if (DEVICES.test(folder)) folder = escape(folder[0]!) + folder.slice(1);
  if (new TextEncoder().encode(folder).length > 200) {
    throw new HomedError("bad_name", `Cannot use "${name.slice(0, 40)}…" as a name for knowledge: it is too long`);
  }
  return folder;
}

const escape = (character: string) => `%${character.codePointAt(0)!.toString(16).toUpperCase().padStart(2, "0")}`;

/** Folders that a person made may have any name. */
function nameOf(folder: string): string {
  const name = folder.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCodePoint(parseInt(hex, 16)));
  try {
    return folderOf(name) === folder ? name : folder;
  } catch {
    return folder;
  }
}

/** The first heading or line, without marks. */
function titleOf(content: string, name: string): string {
  const line = content.replace(/^---\n.*?\n---\n/s, "").split("\n").find((one) => one.trim() !== "");
  return line?.replace(/^#+\s*/, "").trim().slice(0, 120) || name;
}

/** Cuts a text into pieces at paragraphs, else at lines and sentences, so that none is much longer than `PIECE`. */
function cut(content: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const part of content.split(/(?<=\n\s*\n)|(?<=[。！？])|(?<=[.!?]\s)/)) {
    for (let at = 0; at < part.length || at === 0; at += PIECE) {
      const text = part.slice(at, at + PIECE);
      if (piece !== "" && piece.length + text.length > PIECE) {
        pieces.push(piece);
        piece = "";
      }
      piece += text;
    }
  }
  if (piece.trim() !== "" || pieces.length === 0) pieces.push(piece);
  return pieces;
}

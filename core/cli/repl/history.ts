/** Where the history is kept. Both may fail: the REPL then goes on without. */
export interface HistoryStore {
  /** The whole file's text; "" when there is none. */
  load(): Promise<string>;
  /** Adds text at its end; the file is readable by its owner alone (0600). */
  append(text: string): Promise<void>;
  /** Replaces it. */
  replace(text: string): Promise<void>;
}

const MAX_ENTRIES = 2000;
const SECRET_NAME = /key|token|secret|password|passwd/i;

/** What was typed, oldest first, one JSON string a line in the file, so that an entry may have several lines. */
export class History {
  #entries: string[] = [];
  readonly #store: HistoryStore;

  constructor(store: HistoryStore) {
    this.#store = store;
  }

  get entries(): readonly string[] {
    return this.#entries;
  }

  /** Reads the file. Lines that are no entry are skipped; a file of twice the limit is written anew. */
  async load(): Promise<void> {
    const lines = (await this.#store.load()).split("\n").filter((text) => text !== "");
    this.#entries = lines.flatMap((text) => decodeEntry(text) ?? []).slice(-MAX_ENTRIES);
    if (lines.length > MAX_ENTRIES * 2) await this.#store.replace(this.#entries.map(encodeEntry).join(""));
  }

  /** Remembers a line: without what is secret in it, and not twice in a row. A line that begins with a space is the
   * person's wish to leave no trace. */
  async add(text: string): Promise<void> {
    const kept = withoutSecret(text).trimEnd();
    if (kept.trim() === "" || /^\s/.test(text) || kept === this.#entries.at(-1)) return;
    this.#entries.push(kept);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
    await this.#store.append(encodeEntry(kept));
  }

  /** The index of the newest entry before `from` that contains `query`, or −1. */
  search(query: string, from: number): number {
    if (query === "") return -1;
    const wanted = query.toLowerCase();
    for (let i = Math.min(from, this.#entries.length) - 1; i >= 0; i--) {
      if (this.#entries[i]!.toLowerCase().includes(wanted)) return i;
    }
    return -1;
  }
}

/** A `/config` line that sets a secret, without its value. */
export function withoutSecret(text: string): string {
  const [, command, key] = /^\s*(\/config)\s+(\S+)\s+\S/.exec(text) ?? [];
  return command && key && SECRET_NAME.test(key) ? `${command} ${key}` : text;
}

const encodeEntry = (text: string): string => JSON.stringify(text) + "\n";

function decodeEntry(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    // A line cut by a crash: history is a convenience, the rest of it stands.
    return undefined;
  }
}

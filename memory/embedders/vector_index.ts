import type { TellProgress } from "../../core/base/progress.ts";
import type { SearchIndex } from "../index/search_index.ts";
import type { Embedder } from "./embedder.ts";

/** Units embedded at a time: one turn of the event loop lies between two batches. */
const BATCH = 64;
/** The newest ones that a search takes beside the background work: what was just told is found. */
const BESIDE = 8;
/** Characters of a unit that its vector is made of. */
const TEXT = 4_000;
/** Units from which on making their vectors is long work, and told. */
const MANY = 500;

/** What a search by meaning found: the unit's number and its cosine to the query. */
export interface VectorHit {
  num: number;
  cosine: number;
}

/** Dense vectors of everything in the index, in one space at a time: rows of the index's table `vectors` (a scale and a
 * signed byte a value), and the same in memory for a brute-force search: 300 dimensions are 304 bytes a unit, 30 MB for
 * a hundred thousand. After a change of the embedder old rows are not compared and are made anew in the background. */
export class VectorIndex {
  readonly #index: SearchIndex;
  readonly #telling: () => TellProgress;
  #embedder: Embedder | undefined;
  #nums: number[] = [];
  #scales: number[] = [];
  #cells = new Int8Array();
  #filling: Promise<void> | undefined;
  #closed = false;

  /** `telling` is asked for who is told how far a long filling is. */
  constructor(index: SearchIndex, telling: () => TellProgress = () => () => {}) {
    this.#index = index;
    this.#telling = telling;
  }

  /** The space from now on; undefined: none, nothing is found by meaning. Begins to embed in the background. */
  use(embedder: Embedder | undefined): void {
    this.#embedder = embedder;
    this.#nums = [];
    this.#scales = [];
    this.#cells = new Int8Array();
    if (!embedder) return;
    this.#load(embedder);
    void this.fill();
  }

  get isOn(): boolean {
    return this.#embedder !== undefined;
  }

  /** Units that have no vector in the present space yet. */
  get pending(): number {
    if (!this.#embedder) return 0;
    const row = this.#index.db.prepare(
      "SELECT count(*) AS n FROM units WHERE num NOT IN (SELECT num FROM vectors WHERE space = ?)",
    ).get(this.#embedder.fingerprint);
    return row!.n as number;
  }

  /** Embeds what has no vector yet. Resolves when all is done, or the embedder changed, or this was closed. */
  fill(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => this.#filling = undefined);
    return this.#filling;
  }

  /** The units nearest to a text, best first. What was put into the index lately is embedded before. */
  async search(text: string, limit: number): Promise<VectorHit[]> {
    const embedder = this.#embedder;
    if (!embedder) return [];
    await this.#step(embedder, this.#filling ? BESIDE : BATCH);
    const [query] = await embedder.embed([text]);
    if (this.#embedder !== embedder || !query || query.values.length !== embedder.dimension) return [];
    const { values } = query, length = values.length;
    const hits: VectorHit[] = [];
    let least = 0;
    for (let row = 0; row < this.#nums.length; row++) {
      let sum = 0;
      for (let i = 0, at = row * length; i < length; i++, at++) sum += values[i]! * this.#cells[at]!;
      const cosine = sum * this.#scales[row]!;
      if (cosine <= least && hits.length >= limit) continue;
      hits.push({ num: this.#nums[row]!, cosine });
      if (hits.length < 4 * limit) continue;
      hits.sort((a, b) => b.cosine - a.cosine).splice(limit);
      least = hits.at(-1)!.cosine;
    }
    return hits.sort((a, b) => b.cosine - a.cosine).slice(0, limit);
  }

  /** Stops the background work. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#embedder = undefined;
    await this.#filling;
  }

  async #fill(): Promise<void> {
    for (let embedder = this.#embedder; embedder && !this.#closed; embedder = this.#embedder) {
      const all = this.pending;
      const tell: TellProgress = all < MANY ? () => {} : this.#telling();
      let taken: number;
      for (let done = 0; embedder === this.#embedder && (taken = await this.#step(embedder)) > 0;) {
        done += taken;
        tell(Math.min(0.99, done / all), `${done} of ${all} texts`);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      if (embedder !== this.#embedder) tell(null, "stopped");
      else return tell(1, `${all} texts`);
    }
  }

  /** One batch, the newest first. Answers with how many units it took. Two at a time may take the same units, and the
   * first keeps its own. */
  async #step(embedder: Embedder, most = BATCH): Promise<number> {
    const { db } = this.#index;
    const units = db.prepare(`SELECT num, title, substr(text, 1, ${TEXT}) AS text FROM units
      WHERE num NOT IN (SELECT num FROM vectors WHERE space = ?) ORDER BY num DESC LIMIT ?`)
      .all(embedder.fingerprint, most) as { num: number; title: string | null; text: string }[];
    if (units.length === 0) return 0;
    const vectors = await embedder.embed(units.map(({ title, text }) => (title ? `${title}\n${text}` : text)));
    if (embedder !== this.#embedder) return units.length;
    this.#index.batch(() => {
      const put = db.prepare(`INSERT INTO vectors (num, space, cells)
        SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM units WHERE num = ?1)
        ON CONFLICT DO UPDATE SET space = ?2, cells = ?3 WHERE space <> ?2`);
      for (const [i, { num }] of units.entries()) {
        const values = vectors[i]!.values;
        const dense = values.length === embedder.dimension ? values : new Float32Array(embedder.dimension);
        const cells = encode(dense);
        const { changes } = put.run(num, embedder.fingerprint, cells);
        if (changes > 0) this.#keep(num, cells);
      }
    });
    return units.length;
  }

  #load(embedder: Embedder): void {
    const rows = this.#index.db.prepare("SELECT num, cells FROM vectors WHERE space = ?");
    for (const { num, cells } of rows.iterate(embedder.fingerprint)) {
      if ((cells as Uint8Array).length === embedder.dimension + 4) this.#keep(num as number, cells as Uint8Array);
    }
  }

  #keep(num: number, cells: Uint8Array): void {
    const length = cells.length - 4, at = this.#nums.length * length;
    if (at + length > this.#cells.length) {
      const larger = new Int8Array(Math.max(1024 * length, this.#cells.length * 2));
      larger.set(this.#cells);
      this.#cells = larger;
    }
    this.#cells.set(new Int8Array(cells.buffer, cells.byteOffset + 4, length), at);
    this.#scales.push(new DataView(cells.buffer, cells.byteOffset).getFloat32(0, true));
    this.#nums.push(num);
  }
}

/** A vector as signed bytes, and before them the scale that makes their length 1. */
function encode(values: Float32Array): Uint8Array {
  const cells = new Uint8Array(values.length + 4);
  const view = new DataView(cells.buffer);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const cell = largest === 0 ? 0 : Math.round(values[i]! / largest * 127);
    view.setInt8(4 + i, cell);
    squares += cell * cell;
  }
  view.setFloat32(0, squares === 0 ? 0 : 1 / Math.sqrt(squares), true);
  return cells;
}

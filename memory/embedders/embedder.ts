import type { Vector } from "../../core/wire/memory.ts";

/** Makes vectors of texts. One suite (`tests/memory/embedders/suite.ts`) holds for all of them: vectors have length 1, or
 * are all zero for a text with nothing in it; equal texts give equal vectors; `space` of each is the fingerprint. */
export interface Embedder {
  /** For people: "tfidf", "static: numberbatch-en", … */
  readonly name: string;
  /** Values in a dense vector; for a sparse one how many there could be. */
  readonly dimension: number;
  /** Names the space: the same text gives the same vector wherever the fingerprint is the same. */
  readonly fingerprint: string;
  /** One vector a text, in order. */
  embed(texts: string[]): Promise<Vector[]>;
}

/** Cosine of two vectors of one space; 0 when the spaces differ, for they are never compared. */
export function similarity(a: Vector, b: Vector): number {
  if (a.space !== b.space) return 0;
  if (!a.at || !b.at) {
    let sum = 0;
    for (let i = 0; i < a.values.length; i++) sum += a.values[i]! * (b.values[i] ?? 0);
    return sum;
  }
  let sum = 0;
  for (let i = 0, j = 0; i < a.at.length && j < b.at.length;) {
    const left = a.at[i]!, right = b.at[j]!;
    if (left === right) sum += a.values[i++]! * b.values[j++]!;
    else if (left < right) i++;
    else j++;
  }
  return sum;
}

/** Scales to length 1 in place; a vector of zeros stays. Returns false when a value is not a finite number: such a vector
 * must be thrown away, since one NaN makes every comparison with it NaN. */
export function normalize(values: Float32Array): boolean {
  let sum = 0;
  for (const value of values) sum += value * value;
  if (!Number.isFinite(sum)) return false;
  if (sum === 0) return true;
  const scale = 1 / Math.sqrt(sum);
  for (let i = 0; i < values.length; i++) values[i]! *= scale;
  return true;
}

/** An embedder that cannot hand out a broken vector: what `inner` gets wrong (a NaN, a wrong count or length) becomes the
 * zero vector, which is similar to nothing, and `onProblem` is told once. */
export function checked(inner: Embedder, onProblem: (text: string) => void): Embedder {
  let told = false;
  const problem = (text: string) => {
    if (!told) onProblem(`The embedder "${inner.name}" ${text}: such texts are found by their words alone`);
    told = true;
  };
  return {
    name: inner.name,
    dimension: inner.dimension,
    fingerprint: inner.fingerprint,
    async embed(texts) {
      let vectors: Vector[] = [];
      try {
        vectors = await inner.embed(texts);
        if (vectors.length !== texts.length) problem(`gave ${vectors.length} vectors for ${texts.length} texts`);
      } catch (error) {
        problem(`failed (${error instanceof Error ? error.message : error})`);
      }
      return texts.map((_, i) => {
        const vector = vectors.length === texts.length ? vectors[i] : undefined;
        const sound = vector !== undefined && (vector.at || vector.values.length === inner.dimension) &&
          normalize(vector.values);
        if (vector && !sound) problem("gave a vector that is not made of numbers");
        return sound ? { ...vector, space: inner.fingerprint } : {
          space: inner.fingerprint,
          values: new Float32Array(),
          at: new Uint32Array(),
        };
      });
    },
  };
}

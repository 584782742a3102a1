/** At most so many units of one term are known, the newest: who has more of them looks for rarer terms. */
export const MOST_POSTINGS = 10_000;

/** Places that all lists together may take, and what a list takes beside its numbers. */
const KEPT = 1_000_000;
const LIST = 32;

/** A list that still grows: the first `length` places are numbers, rising. */
interface List {
  numbers: Uint32Array;
  length: number;
}

/** The numbers of the units that have a term, for the terms asked for lately; it follows every change of the index, so
 * that reading the same common words again for every question costs nothing. */
export class Postings {
  readonly #read: (term: string, limit: number) => number[];
  readonly #lists = new Map<string, List>();
  #kept = 0;

  /** `read` gives the newest numbers of a term, newest first. */
  constructor(read: (term: string, limit: number) => number[]) {
    this.#read = read;
  }

  /** The newest units of a term, oldest of them first, at most `MOST_POSTINGS`. Good until the next change. */
  of(term: string): Uint32Array {
    const { numbers, length } = this.#list(term);
    return numbers.subarray(Math.max(0, length - MOST_POSTINGS), length);
  }

  /** In how many units the term is, at most `MOST_POSTINGS`. */
  count(term: string): number {
    return Math.min(this.#list(term).length, MOST_POSTINGS);
  }

  /** A unit was put; its number is above all others. */
  added(number: number, terms: string[]): void {
    if (this.#lists.size === 0) return;
    for (const term of new Set(terms)) {
      const list = this.#lists.get(term);
      if (!list) continue;
      if (list.length === list.numbers.length) this.#grow(term, list);
      list.numbers[list.length++] = number;
    }
  }

  removed(number: number, terms: string[]): void {
    if (this.#lists.size === 0) return;
    for (const term of new Set(terms)) {
      const list = this.#lists.get(term);
      if (!list) continue;
      // Of a list that was cut nobody knows which number comes in at its other end.
      if (list.length >= MOST_POSTINGS) {
        this.#drop(term, list);
        continue;
      }
      const at = placeOf(list.numbers, number, list.length);
      if (at < 0) continue;
      list.numbers.copyWithin(at, at + 1, list.length);
      list.length--;
    }
  }

  /** After a change that failed, or that nobody told of. */
  clear(): void {
    this.#lists.clear();
    this.#kept = 0;
  }

  #list(term: string): List {
    const known = this.#lists.get(term);
    if (known) {
      this.#lists.delete(term);
      this.#lists.set(term, known);
      return known;
    }
    const numbers = Uint32Array.from(this.#read(term, MOST_POSTINGS)).reverse();
    const list = { numbers, length: numbers.length };
    this.#lists.set(term, list);
    this.#kept += numbers.length + LIST;
    for (const [other, oldest] of this.#lists) {
      if (this.#kept <= KEPT || oldest === list) break;
      this.#drop(other, oldest);
    }
    return list;
  }

  /** Room for more numbers; what a long list has beyond the newest goes. */
  #grow(term: string, list: List): void {
    const newest = list.numbers.subarray(Math.max(0, list.length - MOST_POSTINGS), list.length);
    const numbers = new Uint32Array(newest.length + Math.max(8, newest.length >> 2));
    numbers.set(newest);
    this.#kept += numbers.length - list.numbers.length;
    this.#lists.set(term, Object.assign(list, { numbers, length: newest.length }));
  }

  #drop(term: string, list: List): void {
    this.#lists.delete(term);
    this.#kept -= list.numbers.length + LIST;
  }
}

/** Where a number stands among the first `length` of rising ones, or −1. */
export function placeOf(numbers: Uint32Array, number: number, length = numbers.length): number {
  let low = 0;
  for (let high = length; low < high;) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low < length && numbers[low] === number ? low : -1;
}

/** Adds up what units are worth, by number: a hash table in typed arrays, as tens of thousands come together for one
 * question and a `Map` takes ten times as long. */
export class Tally {
  readonly #keys: Uint32Array;
  readonly #sums: Float64Array;
  readonly #rounds: Uint32Array;
  readonly #mask: number;

  /** `most`: how many numbers it may be given, repeats included. */
  constructor(most: number) {
    const size = 1 << Math.max(4, Math.ceil(Math.log2(most * 1.5 + 1)));
    this.#keys = new Uint32Array(size);
    this.#sums = new Float64Array(size);
    this.#rounds = new Uint32Array(size);
    this.#mask = size - 1;
  }

  /** Adds `weight` to each of these numbers, all above 0; in a `round` above 0 to each only once. Rounds never fall. */
  add(numbers: ArrayLike<number>, weight: number, round = 0): void {
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!;
      const at = this.#placeOf(number);
      if (round > 0 && this.#rounds[at] === round) continue;
      this.#keys[at] = number;
      this.#rounds[at] = round;
      this.#sums[at]! += weight;
    }
  }

  /** The numbers with the most, best first, of equal ones the highest. */
  best(limit: number): number[] {
    // A heap whose root is the least of the best so far.
    const heap: number[] = [];
    const isLess = (a: number, b: number) => {
      const difference = this.#sums[a]! - this.#sums[b]!;
      return difference < 0 || (difference === 0 && this.#keys[a]! < this.#keys[b]!);
    };
    const sink = (from: number) => {
      for (let at = from;;) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2]) {
          if (child < heap.length && isLess(heap[child]!, heap[least]!)) least = child;
        }
        if (least === at) return;
        [heap[at], heap[least]] = [heap[least]!, heap[at]!];
        at = least;
      }
    };
    for (let at = 0; at <= this.#mask; at++) {
      if (this.#keys[at] === 0) continue;
      if (heap.length < limit) {
        heap.push(at);
        if (heap.length === limit) { for (let i = limit >> 1; i >= 0; i--) sink(i); }
      } else if (limit > 0 && isLess(heap[0]!, at)) {
        heap[0] = at;
        sink(0);
      }
    }
    return heap.sort((a, b) => (isLess(a, b) ? 1 : -1)).map((at) => this.#keys[at]!);
  }

  #placeOf(number: number): number {
    let at = (Math.imul(number, 0x9e3779b1) >>> 7) & this.#mask;
    while (this.#keys[at] !== 0 && this.#keys[at] !== number) at = (at + 1) & this.#mask;
    return at;
  }
}

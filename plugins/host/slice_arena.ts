import { RPC_CODES, RpcError } from "../../core/wire/mod.ts";
import type { SliceStore } from "./payload.ts";

const ALIGN = 64;

/** Slices of a piece of memory, first fit. Who reserved one is known by its slot: nobody reads or frees another's, and
 * what a plugin leaves behind is freed with it. */
export class SliceArena implements SliceStore {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #taken = new Map<number, { size: number; slot: number }>();
  /** Free ranges, by offset, never adjacent. */
  #free: { offset: number; size: number }[];

  constructor(buffer: ArrayBuffer, options: { offset: number; size: number }) {
    this.#bytes = new Uint8Array(buffer, options.offset, options.size);
    this.#start = options.offset;
    this.#free = [{ offset: 0, size: options.size }];
  }

  /** Bytes that are not reserved. */
  get available(): number {
    return this.#free.reduce((sum, { size }) => sum + size, 0);
  }

  alloc(size: number, slot: number): number | undefined {
    const need = Math.max(ALIGN, Math.ceil(size / ALIGN) * ALIGN);
    const index = this.#free.findIndex((range) => range.size >= need);
    const range = this.#free[index];
    if (!range) return undefined;
    const { offset } = range;
    if (range.size === need) this.#free.splice(index, 1);
    else this.#free[index] = { offset: offset + need, size: range.size - need };
    this.#taken.set(offset, { size: need, slot });
    return this.#start + offset;
  }

  free(offset: number, slot: number): void {
    const at = offset - this.#start;
    const taken = this.#taken.get(at);
    if (!taken || taken.slot !== slot) return;
    this.#taken.delete(at);
    const next = this.#free.findIndex((range) => range.offset > at);
    const index = next === -1 ? this.#free.length : next;
    this.#free.splice(index, 0, { offset: at, size: taken.size });
    for (const i of [index, index - 1]) {
      const left = this.#free[i], right = this.#free[i + 1];
      if (left && right && left.offset + left.size === right.offset) {
        this.#free.splice(i, 2, { offset: left.offset, size: left.size + right.size });
      }
    }
  }

  releaseAll(slot: number): void {
    for (const [at, taken] of [...this.#taken]) if (taken.slot === slot) this.free(at + this.#start, slot);
  }

  write(offset: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, offset - this.#start);
  }

  read(offset: number, length: number, slot: number): Uint8Array {
    const at = offset - this.#start;
    const taken = this.#taken.get(at);
    if (!taken || taken.slot !== slot || length < 0 || length > taken.size) {
      throw new RpcError(RPC_CODES.invalidParams, `There is no slice of ${length} bytes at ${offset}`);
    }
    return this.#bytes.subarray(at, at + length);
  }
}

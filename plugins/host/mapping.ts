import { cString, type Libc, openLibc } from "./libc.ts";

const O_RDWR = 2;
const PROT_READ_WRITE = 3, MAP_SHARED = 1;

/** A file mapped into memory: `buffer` lies on the same pages in every process that maps it. Nothing may touch it after
 * `close`. */
export class Mapping {
  readonly buffer: ArrayBuffer;
  readonly #libc: Libc;
  readonly #pointer: Deno.PointerObject;

  private constructor(libc: Libc, pointer: Deno.PointerObject, size: number) {
    this.#libc = libc;
    this.#pointer = pointer;
    this.buffer = Deno.UnsafePointerView.getArrayBuffer(pointer, size);
  }

  /** @throws {Error} where files cannot be mapped */
  static open(path: string, size: number): Mapping {
    const libc = openLibc();
    const fd = libc.symbols.open(cString(path), O_RDWR);
    if (fd < 0) {
      libc.close();
      throw new Error(`Cannot open ${path} to map it`);
    }
    const pointer = libc.symbols.mmap(null, BigInt(size), PROT_READ_WRITE, MAP_SHARED, fd, 0n);
    libc.symbols.close(fd);
    if (pointer === null || BigInt.asIntN(64, Deno.UnsafePointer.value(pointer)) === -1n) {
      libc.close();
      throw new Error(`Cannot map ${path}`);
    }
    return new Mapping(libc, pointer, size);
  }

  close(): void {
    this.#libc.symbols.munmap(this.#pointer, BigInt(this.buffer.byteLength));
    this.#libc.close();
  }
}

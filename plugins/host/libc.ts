/** The C library, for what Deno has no call for. Opened at need; only in processes that may use FFI. @module */

const NAMES = Deno.build.os === "darwin"
  ? ["libSystem.B.dylib"]
  : ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

const SYMBOLS = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  mmap: { parameters: ["pointer", "usize", "i32", "i32", "i32", "i64"], result: "pointer" },
  munmap: { parameters: ["pointer", "usize"], result: "i32" },
  getppid: { parameters: [], result: "i32" },
  execvp: { parameters: ["buffer", "buffer"], result: "i32" },
  signal: { parameters: ["i32", "usize"], result: "usize" },
} as const satisfies Deno.ForeignLibraryInterface;

/** Linux alone. `syscall` under a name for each list of parameters. */
const LINUX_SYMBOLS = {
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  prctlPointer: { name: "prctl", parameters: ["i32", "u64", "buffer", "u64", "u64"], result: "i32" },
  landlockCreate: { name: "syscall", parameters: ["i64", "buffer", "usize", "u32"], result: "i64" },
  landlockAdd: { name: "syscall", parameters: ["i64", "i32", "i32", "buffer", "u32"], result: "i64" },
  landlockRestrict: { name: "syscall", parameters: ["i64", "i32", "u32"], result: "i64" },
} as const satisfies Deno.ForeignLibraryInterface;

/** glibc alone. Calls that do not block are made without compiling code for them, which costs 2 MB of memory. */
const ALLOCATOR_SYMBOLS = {
  mallopt: { parameters: ["i32", "i32"], result: "i32", nonblocking: true },
} as const satisfies Deno.ForeignLibraryInterface;

function openAny<S extends Deno.ForeignLibraryInterface>(symbols: S): Deno.DynamicLibrary<S> {
  const problems: string[] = [];
  for (const name of NAMES) {
    try {
      return Deno.dlopen(name, symbols);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`Cannot open the C library: ${problems.join("; ")}`);
}

export type Libc = Deno.DynamicLibrary<typeof SYMBOLS>;
export type LinuxLibc = Deno.DynamicLibrary<typeof LINUX_SYMBOLS>;

/** @throws {Error} on Windows, and where there is no C library under a known name */
export function openLibc(): Libc {
  if (Deno.build.os === "windows") throw new Error("Cannot open the C library on Windows");
  return openAny(SYMBOLS);
}

/** @throws {Error} elsewhere than on Linux */
export function openLinuxLibc(): LinuxLibc {
  if (Deno.build.os !== "linux") throw new Error("Cannot use Linux' system calls on another system");
  return openAny(LINUX_SYMBOLS);
}

/** @throws {Error} where the C library is not glibc */
export function openAllocator(): Deno.DynamicLibrary<typeof ALLOCATOR_SYMBOLS> {
  if (Deno.build.os !== "linux") throw new Error("Cannot tell the allocator of another system than Linux anything");
  return openAny(ALLOCATOR_SYMBOLS);
}

/** Text as C wants it. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...new TextEncoder().encode(text), 0]);
}

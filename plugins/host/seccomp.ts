/** A seccomp filter for what Landlock does not cover: it cannot refuse sockets other than TCP, so a program locked in by
 * Landlock alone could still send UDP packets, and speak to the owner's Unix socket. Numbers from the kernel's
 * `linux/filter.h`, `linux/seccomp.h` and the tables of system calls. @module */
import type { LinuxLibc } from "./libc.ts";

const PR_SET_SECCOMP = 22, MODE_FILTER = 2n;
const LOAD = 0x20, JUMP_EQUAL = 0x15, JUMP_AT_LEAST = 0x35, RETURN = 0x06;
const ALLOW = 0x7fff0000, ERRNO = 0x00050000;
const EPERM = 1, EACCES = 13, ENOSYS = 38;
const OFFSET_NUMBER = 0, OFFSET_ARCH = 4, OFFSET_ARG0 = 16;
const AF_INET = 2, AF_INET6 = 10, AF_NETLINK = 16;
/** Calls of the x32 ABI have this bit. */
const X32 = 0x40000000;

const CALLS = {
  x86_64: { arch: 0xc000003e, socket: 41, ptrace: 101, io_uring_setup: 425, process_vm_readv: 310, keyctl: 250 },
  aarch64: { arch: 0xc00000b7, socket: 198, ptrace: 117, io_uring_setup: 425, process_vm_readv: 270, keyctl: 219 },
} as const;

/** Sockets of the internet only where the manifest asks for the network; netlink (which programs read interface lists
 * with) always; no other kind. No `ptrace`, and no `io_uring`, which would go round the filter. */
export function seccompFilter(options: { net: boolean; arch?: keyof typeof CALLS }): Uint8Array<ArrayBuffer> {
  const calls = CALLS[options.arch ?? (Deno.build.arch as keyof typeof CALLS)];
  const families = options.net ? [AF_INET, AF_INET6, AF_NETLINK] : [AF_NETLINK];
  const program: [code: number, whenTrue: number, whenFalse: number, value: number][] = [];
  const add = (code: number, value: number, whenTrue = 0, whenFalse = 0) =>
    program.push([code, whenTrue, whenFalse, value >>> 0]);
  add(LOAD, OFFSET_ARCH);
  add(JUMP_EQUAL, calls.arch, 1, 0);
  add(RETURN, ERRNO | EPERM);
  add(LOAD, OFFSET_NUMBER);
  add(JUMP_AT_LEAST, X32, 0, 1);
  add(RETURN, ERRNO | EPERM);
  for (
    const [number, error] of [
      [calls.io_uring_setup, ENOSYS],
      [calls.ptrace, EPERM],
      [calls.process_vm_readv, EPERM],
      [calls.process_vm_readv + 1, EPERM],
      [calls.keyctl, EPERM],
    ] as const
  ) {
    add(JUMP_EQUAL, number, 0, 1);
    add(RETURN, ERRNO | error);
  }
  add(JUMP_EQUAL, calls.socket, 1, 0);
  add(RETURN, ALLOW);
  add(LOAD, OFFSET_ARG0);
  for (const family of families) {
    add(JUMP_EQUAL, family, 0, 1);
    add(RETURN, ALLOW);
  }
  add(RETURN, ERRNO | EACCES);
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  program.forEach(([code, whenTrue, whenFalse, value], index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, whenTrue);
    view.setUint8(index * 8 + 3, whenFalse);
    view.setUint32(index * 8 + 4, value, true);
  });
  return bytes;
}

/** Puts the filter on this thread and all that comes of it. `PR_SET_NO_NEW_PRIVS` must be set.
 * @throws {Error} when the kernel refuses */
export function applySeccomp(linux: LinuxLibc, filter: Uint8Array<ArrayBuffer>): void {
  const program = new Uint8Array(16);
  const view = new DataView(program.buffer);
  view.setUint16(0, filter.length / 8, true);
  view.setBigUint64(8, Deno.UnsafePointer.value(Deno.UnsafePointer.of(filter)), true);
  if (linux.symbols.prctlPointer(PR_SET_SECCOMP, MODE_FILTER, program, 0n, 0n) !== 0) {
    throw new Error("Cannot lock the plugin in: the kernel refused the seccomp filter");
  }
}

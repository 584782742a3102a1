/** Landlock: a Linux process gives up, for itself and everything it starts, whatever is not on its list. Numbers from
 * the kernel's `include/uapi/linux/landlock.h`. @module */
import { cString, type Libc, type LinuxLibc, openLinuxLibc } from "./libc.ts";

const CREATE = 444n, ADD = 445n, RESTRICT = 446n;
const VERSION_FLAG = 1;
const O_PATH = 0o10000000, O_CLOEXEC = 0o2000000;
const RULE_PATH = 1, RULE_PORT = 2;
const BIND = 1n, CONNECT = 2n;

const EXECUTE = 1n, WRITE_FILE = 2n, READ_FILE = 4n, READ_DIR = 8n;
const TRUNCATE = 1n << 14n, IOCTL_DEV = 1n << 15n;
const ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
const READ = READ_FILE | READ_DIR;
/** Everything that changes a folder's entries: bits 4 to 13. */
const CHANGE_DIR = ((1n << 14n) - 1n) & ~15n;
const WRITE = WRITE_FILE | CHANGE_DIR | TRUNCATE | IOCTL_DEV;

/** `r` read, `w` write, `x` start as a program. A path that does not exist is left out. */
export interface PathRule {
  path: string;
  access: "r" | "rx" | "rw" | "rwx" | "x";
}

/** What a process may still do. `connect` and `bind` are TCP ports; "any" leaves that side free. */
export interface LandlockRules {
  paths: PathRule[];
  connect: number[] | "any";
  bind: number[] | "any";
}

/** The version of Landlock that this kernel has; 0: none. */
export function landlockVersion(): number {
  if (Deno.build.os !== "linux") return 0;
  using libc = openScoped();
  return versionOf(libc.symbols);
}

function versionOf(symbols: LinuxLibc["symbols"]): number {
  return Math.max(0, Number(symbols.landlockCreate(CREATE, null, 0n, VERSION_FLAG)));
}

function openScoped(): LinuxLibc & Disposable {
  const libc = openLinuxLibc();
  return Object.assign(libc, { [Symbol.dispose]: () => libc.close() });
}

/** Locks this thread in, and every program that it becomes or starts: call right before `execvp`. `PR_SET_NO_NEW_PRIVS`
 * must be set. Returns the version that was used; 0 when the kernel has none and nothing was done.
 * @throws {Error} when the kernel has Landlock and refuses the rules */
export function applyLandlock(linux: LinuxLibc, libc: Libc, rules: LandlockRules): number {
  const call = linux.symbols;
  const version = versionOf(call);
  if (version === 0) return 0;
  let handled = (1n << 13n) - 1n;
  if (version >= 2) handled |= 1n << 13n;
  if (version >= 3) handled |= TRUNCATE;
  if (version >= 5) handled |= IOCTL_DEV;
  const net = version >= 4 ? (rules.connect === "any" ? 0n : CONNECT) | (rules.bind === "any" ? 0n : BIND) : 0n;
  // From version 6 on: no abstract Unix sockets and no signals to processes outside.
  const scoped = version >= 6 ? 3n : 0n;
  const attribute = new BigUint64Array([handled, net, scoped]);
  const size = version >= 6 ? 24n : version >= 4 ? 16n : 8n;
  const set = Number(call.landlockCreate(CREATE, new Uint8Array(attribute.buffer), size, 0));
  if (set < 0) throw new Error("Cannot lock the plugin in: the kernel refused the Landlock rules");
  for (const { path, access } of rules.paths) {
    const fd = libc.symbols.open(cString(path), O_PATH | O_CLOEXEC);
    if (fd < 0) continue;
    let allowed = (access.includes("r") ? READ : 0n) | (access.includes("w") ? WRITE : 0n) |
      (access.includes("x") ? EXECUTE : 0n);
    if (!isFolder(path)) allowed &= ON_FILES;
    const rule = new Uint8Array(12);
    const view = new DataView(rule.buffer);
    view.setBigUint64(0, allowed & handled, true);
    view.setInt32(8, fd, true);
    const added = call.landlockAdd(ADD, set, RULE_PATH, rule, 0);
    libc.symbols.close(fd);
    if (added < 0n) throw new Error(`Cannot lock the plugin in: the kernel refused the rule for "${path}"`);
  }
  const ports = new Map<number, bigint>();
  if (net & CONNECT) { for (const port of rules.connect as number[]) ports.set(port, CONNECT); }
  if (net & BIND) { for (const port of rules.bind as number[]) ports.set(port, (ports.get(port) ?? 0n) | BIND); }
  for (const [port, access] of ports) {
    const rule = new Uint8Array(new BigUint64Array([access, BigInt(port)]).buffer);
    if (call.landlockAdd(ADD, set, RULE_PORT, rule, 0) < 0n) {
      throw new Error(`Cannot lock the plugin in: the kernel refused the rule for port ${port}`);
    }
  }
  if (call.landlockRestrict(RESTRICT, set, 0) < 0n) {
    throw new Error("Cannot lock the plugin in: the kernel refused to apply Landlock");
  }
  libc.symbols.close(set);
  return version;
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    // It went away after it was opened: the narrower rights are right for whatever it was.
    return false;
  }
}

import { applyLandlock, type LandlockRules } from "./landlock.ts";
import { cString, openLibc, openLinuxLibc } from "./libc.ts";
import { applySeccomp, seccompFilter } from "./seccomp.ts";

/** How `__exec` starts a program: the first argument, as JSON. */
export interface ExecSpec {
  /** The process that starts it; when that is gone already, nothing is started. */
  parent: number;
  /** Absent: the program is not locked in. */
  lock?: LandlockRules & { net: boolean };
}

const PR_SET_PDEATHSIG = 1, PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9, SIGPIPE = 13;

/** The hidden verb `__exec SPEC PROGRAM ARGS…`: becomes PROGRAM, after it has tied itself to its parent's life and locked
 * itself in. Returns only when that failed, with the exit status: 126 not allowed, 127 not found. */
export function runExec(args: string[]): number {
  const [specText, program, ...rest] = args;
  if (specText === undefined || program === undefined) {
    console.error("homed: __exec is for homed itself: it wants a specification and a program");
    return 2;
  }
  const spec = JSON.parse(specText) as ExecSpec;
  const libc = openLibc();
  try {
    if (Deno.build.os === "linux") {
      const linux = openLinuxLibc();
      linux.symbols.prctl(PR_SET_PDEATHSIG, BigInt(SIGKILL), 0n, 0n, 0n);
      // The parent may have gone before the line above.
      if (libc.symbols.getppid() !== spec.parent) return 126;
      linux.symbols.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n);
      if (spec.lock) {
        applyLandlock(linux, libc, spec.lock);
        applySeccomp(linux, seccompFilter({ net: spec.lock.net }));
      }
    }
  } catch (error) {
    console.error(`homed: ${error instanceof Error ? error.message : error}`);
    return 126;
  }
  // This runtime ignores SIGPIPE; programs expect the default.
  libc.symbols.signal(SIGPIPE, 0n);
  const texts = [program, ...rest].map(cString);
  const pointers = new BigUint64Array([
    ...texts.map((text) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(text))),
    0n,
  ]);
  libc.symbols.execvp(texts[0]!, new Uint8Array(pointers.buffer));
  console.error(`homed: cannot start ${program}: it does not exist, is not executable, or needs an interpreter`);
  return 127;
}

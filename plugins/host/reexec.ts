import { HomedError } from "../../core/base/errors.ts";

/** Begins this process anew, with the same id and arguments, as threads that hang for good can be ended in no other way.
 * Call after everything is written and closed. Does not return where it works.
 * @throws {HomedError} code `restart` where it does not (Windows) */
export function restartSelf(command: string[]): never {
  if (Deno.build.os === "windows") {
    throw new HomedError("restart", "Cannot begin homed anew from within on Windows", { fix: "start it again" });
  }
  const libc = Deno.dlopen(Deno.build.os === "darwin" ? "libSystem.dylib" : "libc.so.6", {
    execv: { parameters: ["buffer", "buffer"], result: "i32" },
  });
  const texts = command.map((text) => new TextEncoder().encode(`${text}\0`));
  const pointers = new BigUint64Array(texts.length + 1);
  texts.forEach((text, index) => pointers[index] = BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(text))));
  libc.symbols.execv(texts[0]!, new Uint8Array(pointers.buffer));
  throw new HomedError("restart", "Cannot begin homed anew: the system refused it", { fix: "start it again" });
}

/** How this process was started: the executable and all its arguments. */
export function ownCommand(args: readonly string[]): string[] {
  if (Deno.build.standalone) return [Deno.execPath(), ...args];
  const main = new URL(Deno.mainModule);
  return [Deno.execPath(), "run", "-A", "--no-prompt", decodeURIComponent(main.pathname), ...args];
}

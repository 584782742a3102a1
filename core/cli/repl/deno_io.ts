import { dirname } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { HomedError } from "../../base/errors.ts";
import { reasonOf } from "../../base/system_error.ts";
import { terminalSize } from "../io.ts";
import type { HistoryStore } from "./history.ts";
import type { ReplIo } from "./io.ts";
import type { Language } from "../language.ts";

/** The process's own terminal or pipe. `historyFile` is made at the first line typed. */
export function denoReplIo(options: { lang: Language; historyFile: string; env: ReplIo["env"] }): ReplIo {
  const encoder = new TextEncoder();
  const writeTo = (stream: { writeSync(bytes: Uint8Array): number }) => (text: string) => {
    let bytes = encoder.encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
  };
  return {
    stdin: Deno.stdin.readable,
    write: writeTo(Deno.stdout),
    writeError: writeTo(Deno.stderr),
    inputIsTerminal: Deno.stdin.isTerminal(),
    outputIsTerminal: Deno.stdout.isTerminal(),
    columns: () => terminalSize().columns,
    rows: () => terminalSize().rows,
    setRaw: (raw) => Deno.stdin.setRaw(raw),
    // Windows has no such signal: there the size is looked at when something is painted.
    onResize: (listener) => Deno.build.os === "windows" ? () => {} : onSignal("SIGWINCH", listener),
    onInterrupt: (listener) => onSignal("SIGINT", listener),
    onTerminate(listener) {
      if (Deno.build.os === "windows") return () => {};
      const ends = [onSignal("SIGTERM", listener), onSignal("SIGHUP", listener)];
      return () => ends.forEach((end) => end());
    },
    env: options.env,
    lang: options.lang,
    history: fileHistory(options.historyFile),
    async readFile(path) {
      try {
        return await Deno.readFile(path);
      } catch (error) {
        throw new HomedError("attach", `Cannot read ${path}: ${reasonOf(error)}`, {
          fix: "name a file that you can read",
          cause: error,
        });
      }
    },
    clock: systemClock,
  };
}

function onSignal(signal: Deno.Signal, listener: () => void): () => void {
  Deno.addSignalListener(signal, listener);
  return () => Deno.removeSignalListener(signal, listener);
}

function fileHistory(path: string): HistoryStore {
  const write = async (text: string, options: Deno.WriteFileOptions) => {
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(path, text, { ...options, mode: 0o600 });
  };
  return {
    async load() {
      try {
        return await Deno.readTextFile(path);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return "";
        throw error;
      }
    },
    append: (text) => write(text, { append: true }),
    async replace(text) {
      await write(text, {});
    },
  };
}

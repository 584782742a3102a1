/** The command line: reads it, and hands over to one function per verb. @module */
import { parseArguments } from "./arguments.ts";
import type { DaemonRoom } from "./daemon_room.ts";
import { EXIT, failureOf, UsageError } from "./failure.ts";
import { generalHelp, verbHelp } from "./help.ts";
import type { CliIo } from "./io.ts";
import { languageOf } from "./language.ts";
import { VERBS } from "./verbs.ts";

export { processIo } from "./io.ts";

/** Runs one command line and returns its exit status. Every failure is one line on stderr. */
export async function runCommandLine(
  args: readonly string[],
  options: { io: CliIo; room: () => Promise<DaemonRoom> },
): Promise<number> {
  const { io, room } = options;
  const language = languageOf(io.env);
  try {
    const parsed = parseArguments(
      asksVersion(args) ? ["version", ...args.filter((arg) => arg === "--json")] : args,
      VERBS,
    );
    const { verb, sub, words, options: given } = parsed;
    const stray = parsed.words.find((word) => word.startsWith("-"));
    if (!verb && stray !== undefined) {
      throw new UsageError(`There is no option "${stray}"`, "homed help lists the options");
    }
    if (!verb || given.has("--help")) {
      io.write(verb ? verbHelp(verb, language) : generalHelp(VERBS, language));
      return verb || given.has("--help") ? EXIT.done : EXIT.usage;
    }
    const { run } = await verb.load();
    return await run({
      verb,
      sub,
      words,
      args,
      io,
      language,
      room,
      flag: (name) => given.has(name),
      value: (name) => given.get(name)?.[0],
      values: (name) => given.get(name) ?? [],
      json: given.has("--json"),
      home: async () => (await room()).resolveHome({ flag: given.get("--home")?.[0], env: io.env, os: io.os }),
    });
  } catch (error) {
    const { code, line } = failureOf(error, language);
    io.writeError(line + "\n");
    return code;
  }
}

/** `--version` anywhere before a `--`, as people type it out of habit. */
function asksVersion(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).includes("--version");
}

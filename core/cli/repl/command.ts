import type { MediaInput } from "../../wire/chat.ts";
import type { Display } from "./display.ts";
import type { ReplIo } from "./io.ts";
import type { ReplSession } from "./session.ts";
import type { TextKey, Texts } from "./texts.ts";

/** What a command works with. */
export interface CommandContext {
  session: ReplSession;
  display: Display;
  io: ReplIo;
  texts: Texts;
  /** Goes with the next message. */
  attach(media: MediaInput): void;
  /** Leaves the REPL. */
  leave(): void;
}

/** One row of the command table. A command that cannot do its work throws; the REPL says why. */
export interface Command {
  name: string;
  /** Its arguments, as the help shows them. */
  args: string;
  help: TextKey;
  run(context: CommandContext, rest: string): Promise<void> | void;
  /** Candidates for the last of the words after the name; filtered by the caller. */
  complete?(context: CommandContext, words: string[]): Promise<string[]> | string[];
}

/** A command was used in a wrong way: the usage is shown with it. */
export class UsageError extends Error {
  override name = "UsageError";
}

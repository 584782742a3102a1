import type { DaemonRoom, HomePlace } from "./daemon_room.ts";
import type { CliIo } from "./io.ts";
import type { Language, Texts } from "./language.ts";

/** An option of a verb. With `value` it takes one: its name in the usage. */
export interface OptionSpec {
  value?: string;
  /** May be given several times. */
  many?: boolean;
  help: Texts;
}

/** One form of a verb: how many words it takes after its name, and how it is written. `most` -1: any number. */
export interface VerbForm {
  usage: string;
  least: number;
  most: number;
  /** What it does, where a verb has several. */
  help?: Texts;
}

/** A verb of the command line. Help, dispatch and the check of the arguments read the same row. */
export interface Verb {
  name: string;
  help: Texts;
  /** By sub-verb; "" for a verb without. */
  forms: Record<string, VerbForm>;
  options?: Record<string, OptionSpec>;
  /** Not shown in the help: for homed itself. */
  hidden?: true;
  load(): Promise<{ run(call: VerbCall): Promise<number> }>;
}

/** One call of a verb, its arguments checked against the row. */
export interface VerbCall {
  verb: Verb;
  /** The sub-verb; "" for a verb without. */
  sub: string;
  words: string[];
  flag(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): string[];
  json: boolean;
  io: CliIo;
  language: Language;
  /** All arguments of the process. */
  args: readonly string[];
  /** The room of the daemon, loaded at need. */
  room(): Promise<DaemonRoom>;
  /** The home that is meant; nothing is made. */
  home(): Promise<HomePlace>;
}

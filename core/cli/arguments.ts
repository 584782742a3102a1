import { UsageError } from "./failure.ts";
import type { OptionSpec, Verb } from "./verb.ts";
import { GLOBAL_OPTIONS } from "./verbs.ts";

/** A command line that makes sense. */
export interface Parsed {
  verb: Verb | undefined;
  sub: string;
  words: string[];
  options: Map<string, string[]>;
}

/** Reads a command line by the table of verbs. Options may stand anywhere, as `--name VALUE` or `--name=VALUE`; after
 * `--` everything is a word.
 * @throws {UsageError} that names what is wrong */
export function parseArguments(args: readonly string[], verbs: readonly Verb[]): Parsed {
  const at = verbAt(args);
  const name = at === -1 ? undefined : args[at];
  const verb = verbs.find((one) => one.name === name);
  if (name !== undefined && !verb) {
    throw new UsageError(`There is no verb "${clip(name)}"`, nearest(name, verbs));
  }
  const known: Record<string, OptionSpec> = { ...GLOBAL_OPTIONS, ...verb?.options };
  const options = new Map<string, string[]>();
  const words: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (i === at) continue;
    if (arg === "--") {
      words.push(...args.slice(i + 1));
      break;
    }
    if (!arg.startsWith("--") && arg !== "-h") {
      words.push(arg);
      continue;
    }
    const [option, inline] = arg === "-h" ? ["--help", undefined] : split(arg);
    const spec = known[option];
    if (!spec) throw new UsageError(`There is no option "${clip(option)}"`, helpOf(verb));
    if (spec.value === undefined) {
      if (inline !== undefined) throw new UsageError(`${option} takes no value`, helpOf(verb));
      options.set(option, []);
      continue;
    }
    const value = inline ?? args[++i];
    if (value === undefined || value === "") {
      throw new UsageError(`${option} needs a value (${spec.value})`, helpOf(verb));
    }
    if (options.has(option) && !spec.many) throw new UsageError(`${option} is given twice`, helpOf(verb));
    options.set(option, [...options.get(option) ?? [], value]);
  }
  if (!verb || options.has("--help")) return { verb, sub: "", words, options };
  return { verb, ...form(verb, words), options };
}

/** The index of the verb: the first word that is no option and no option's value. */
function verbAt(args: readonly string[]): number {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (!arg.startsWith("-")) return i;
    const [option, inline] = split(arg);
    if (GLOBAL_OPTIONS[option]?.value !== undefined && inline === undefined) i++;
  }
  return -1;
}

function form(verb: Verb, words: string[]): { sub: string; words: string[] } {
  const plain = verb.forms[""];
  const sub = plain ? "" : words[0] ?? "";
  const found = verb.forms[sub];
  const rest = plain ? words : words.slice(1);
  if (!found) {
    const subs = Object.keys(verb.forms).join(", ");
    throw new UsageError(
      sub === "" ? `homed ${verb.name} needs to know what to do` : `homed ${verb.name} cannot "${clip(sub)}"`,
      `it is one of ${subs}`,
    );
  }
  if (rest.length < found.least) throw new UsageError("Something is missing", `homed ${found.usage}`);
  if (found.most !== -1 && rest.length > found.most) {
    throw new UsageError(`"${clip(rest[found.most]!)}" is too much`, `homed ${found.usage}`);
  }
  return { sub, words: rest };
}

function split(arg: string): [string, string | undefined] {
  const at = arg.indexOf("=");
  return at === -1 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

const helpOf = (verb: Verb | undefined) => verb ? `homed ${verb.name} --help` : "homed help";
const clip = (text: string) => text.length > 60 ? `${text.slice(0, 57)}…` : text;

function nearest(name: string, verbs: readonly Verb[]): string {
  const near = verbs.find((verb) => verb.name.startsWith(name.slice(0, 3)) || name.startsWith(verb.name));
  return near ? `did you mean homed ${near.name}? homed help lists the verbs` : "homed help lists the verbs";
}

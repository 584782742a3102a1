import { nearest } from "../base/nearest.ts";
import { UsageError } from "./failure.ts";
import type { OptionSpec, Verb, VerbForm } from "./verb.ts";
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
    throw new UsageError(`There is no verb "${clip(name)}"`, nearestVerb(name, verbs));
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
    if (!spec) {
      throw new UsageError(`There is no option "${clip(option)}"`, didYouMean(option, Object.keys(known), verb));
    }
    if (spec.value === undefined) {
      if (inline !== undefined) throw new UsageError(`${option} takes no value`, `write ${option} alone`);
      options.set(option, []);
      continue;
    }
    const value = inline ?? args[++i];
    if (value === undefined || value === "") {
      throw new UsageError(`${option} needs a value`, `write ${option} ${spec.value}`);
    }
    if (options.has(option) && !spec.many) throw new UsageError(`${option} is given twice`, "give it once");
    options.set(option, [...options.get(option) ?? [], value]);
  }
  if (!verb || options.has("--help")) return { verb, sub: "", words, options };
  return { verb, ...form(verb, words, options), options };
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

function form(
  verb: Verb,
  words: string[],
  options: ReadonlyMap<string, string[]>,
): { sub: string; words: string[] } {
  const plain = verb.forms[""];
  const sub = plain ? "" : words[0] ?? "";
  const found = verb.forms[sub];
  const rest = plain ? words : words.slice(1);
  if (!found) {
    const subs = Object.keys(verb.forms);
    const near = OTHER_WORDS[sub]?.find((word) => subs.includes(word)) ?? nearest(sub, subs);
    throw new UsageError(
      sub === "" ? `homed ${verb.name} needs to know what to do` : `homed ${verb.name} cannot "${clip(sub)}"`,
      near === undefined ? `it is one of ${subs.join(", ")}` : `did you mean homed ${verb.name} ${near}?`,
    );
  }
  const names = namesIn(found.usage);
  // As other programs have it: config set KEY=VALUE.
  const isJoined = names[rest.length] === "VALUE" && /^[\w.-]+=/.test(rest.at(-1) ?? "");
  const usage = `write homed ${isJoined ? `${verb.name} ${sub} ${rest.at(-1)!.replace("=", " ")}` : found.usage}`;
  if (rest.length < found.least) throw new UsageError(`${names[rest.length]} is missing`, usage);
  if (found.most !== -1 && rest.length > found.most) {
    throw new UsageError(`"${clip(rest[found.most]!)}" is too much`, usage);
  }
  // A value may be empty; what is looked for, named or read may not.
  const empty = rest.slice(0, found.least).findIndex((word, i) => word.trim() === "" && names[i] !== "VALUE");
  if (empty !== -1) throw new UsageError(`${names[empty]} is empty`, usage);
  const stray = [...options.keys()].find((option) => verb.options?.[option] && !isFor(found, option));
  if (stray !== undefined) {
    throw new UsageError(`${stray} is not for homed ${`${verb.name} ${sub}`.trim()}`, usage);
  }
  return { sub, words: rest };
}

/** What other programs call it. */
const OTHER_WORDS: Record<string, string[]> = {
  uninstall: ["remove", "uninstall"],
  delete: ["remove", "unset", "forget"],
  rm: ["remove", "unset", "forget"],
  reset: ["unset"],
  ls: ["list", "stats"],
  show: ["get", "list", "stats"],
  info: ["list", "stats"],
  add: ["install", "add"],
  create: ["new", "add"],
  init: ["new"],
  search: ["recall", "search"],
  find: ["recall", "search"],
  restart: ["reload"],
  start: ["enable", "install"],
  stop: ["disable", "uninstall"],
};

/** What a usage calls the words that must be there, and those that may be: "config get KEY [--json]" has KEY. */
const namesIn = (usage: string): string[] => usage.match(/(?<![\w-])(?<!--\w+ )[A-Z]+\b/g) ?? [];

/** An option belongs to the forms whose usage shows it; output as JSON and a "yes" beforehand go with each. */
const isFor = ({ usage }: VerbForm, option: string) =>
  option === "--json" || option === "--yes" || new RegExp(`${option}(?![\\w-])`).test(usage);

function split(arg: string): [string, string | undefined] {
  const at = arg.indexOf("=");
  return at === -1 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

function didYouMean(option: string, known: string[], verb: Verb | undefined): string {
  const near = nearest(option, known);
  if (near !== undefined) return `did you mean ${near}?`;
  return verb ? `homed ${verb.name} --help lists the options` : "homed help lists the options";
}

const clip = (text: string) => text.length > 60 ? `${text.slice(0, 57)}…` : text;

/** Which verb may have been meant, and where all are. */
export function nearestVerb(name: string, verbs: readonly Verb[]): string {
  const near = nearest(name, verbs.map((verb) => verb.name)) ??
    verbs.find((verb) => (name.length > 2 && verb.name.startsWith(name.slice(0, 3))) || name.startsWith(verb.name))
      ?.name;
  return near !== undefined ? `did you mean homed ${near}? homed help lists the verbs` : "homed help lists the verbs";
}

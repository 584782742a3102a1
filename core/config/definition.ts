import { HomedError } from "../base/errors.ts";
import { parseDuration } from "./duration.ts";
import { isMasked } from "./secrets.ts";

/** A text for people in both languages. */
export interface Bilingual {
  en: string;
  zh: string;
}

export const VALUE_TYPES = [
  "string",
  "int",
  "float",
  "bool",
  "duration",
  "secret",
  "select",
  "text",
  "json",
] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** A value as it is used: numbers for int and float, booleans for bool, texts for the rest, any JSON for json. A
 * duration is the text a person wrote, "30m". */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** One setting. `key` may hold one `<name>` for a part that the person chooses. */
export interface Definition {
  key: string;
  type: ValueType;
  default: Value;
  /** For int and float numbers; for durations texts such as "1s"; for string, text and secret characters. */
  min?: number | string;
  max?: number | string;
  /** For `select`. */
  options?: string[];
  /** A `string` with this form: an http(s) address, or the regular expression it must match as a whole. */
  format?: "url" | { pattern: string; say: string };
  /** It names a source, or is the default, which names none: a name that is no source's is refused. */
  names?: "source";
  title: Bilingual;
  help: Bilingual;
  /** Changes only by the owner's hand: command line, REPL or the logged-in page. */
  owner?: boolean;
}

/** Checks a value for a setting, from a person's text or from JSON, and returns it in its type.
 * @throws {HomedError} code `bad_value`, naming what was wrong and what would be right */
export function checkValue(definition: Definition, input: unknown, key = definition.key): Value {
  const refuse = (expected: string): never => {
    const shown = definition.type === "secret" ? "That value" : shorten(input);
    throw new HomedError("bad_value", `${shown} cannot be the value of ${key}: it must be ${expected}`, {
      fix: `homed config set ${key} ${example(definition)}`,
    });
  };
  const text = typeof input === "string" ? input : JSON.stringify(input) ?? "";
  if (text.includes("\0")) refuse("free of NUL characters");
  const { min, max } = definition;
  switch (definition.type) {
    case "int":
    case "float": {
      const number = typeof input === "number" ? input : text.trim() === "" ? NaN : Number(text);
      const kind = definition.type === "int" ? "a whole number" : "a number";
      const range = between(min, max);
      if (!Number.isFinite(number) || (definition.type === "int" && !Number.isSafeInteger(number))) {
        refuse(`${kind}${range}`);
      }
      if ((min !== undefined && number < Number(min)) || (max !== undefined && number > Number(max))) {
        refuse(`${kind}${range}`);
      }
      return number;
    }
    case "bool": {
      if (typeof input === "boolean") return input;
      const word = text.trim().toLowerCase();
      if (["true", "yes", "on", "1"].includes(word)) return true;
      if (["false", "no", "off", "0"].includes(word)) return false;
      return refuse("true or false");
    }
    case "duration": {
      const ms = typeof input === "string" ? parseDuration(text) : undefined;
      const form = `a duration such as 500ms, 30s, 10m, 2h or 7d${between(min, max)}`;
      if (ms === undefined || !Number.isSafeInteger(ms)) return refuse(form);
      if (min !== undefined && ms < parseDuration(String(min))!) refuse(form);
      if (max !== undefined && ms > parseDuration(String(max))!) refuse(form);
      return text.trim();
    }
    case "select":
      if (!definition.options?.includes(text.trim())) refuse(`one of ${definition.options?.join(", ")}`);
      return text.trim();
    case "json":
      if (typeof input !== "string") return input as Value;
      try {
        return JSON.parse(text) as Value;
      } catch (error) {
        return refuse(`JSON (${error instanceof Error ? error.message : error})`);
      }
    case "secret":
    case "string":
    case "text": {
      if (typeof input !== "string") refuse("a text");
      if (definition.type !== "text" && /[\r\n]/.test(text)) refuse("a text of one line");
      const length = [...text].length;
      if (max !== undefined && length > Number(max)) refuse(`at most ${max} characters long`);
      if (min !== undefined && length < Number(min)) refuse(`at least ${min} characters long`);
      if (definition.type === "secret") {
        if (isMasked(text)) refuse("the secret itself, not its mask");
        return text.trim();
      }
      if (text !== "" && definition.format === "url") {
        const wrong = wrongUrl(text);
        if (wrong) refuse(wrong);
        return text.trim();
      }
      if (text !== "" && typeof definition.format === "object") {
        if (!new RegExp(`^(?:${definition.format.pattern})$`).test(text)) refuse(definition.format.say);
      }
      return text;
    }
    default:
      return definition.type satisfies never;
  }
}

/** Checks that a definition from a plugin is whole, and fills in what it may leave out.
 * @throws {HomedError} code `bad_definition` */
export function checkDefinition(input: unknown, key: string): Definition {
  const wrong = (what: string): never => {
    throw new HomedError("bad_definition", `The definition of the setting ${key} is refused: ${what}`);
  };
  if (typeof input !== "object" || input === null) return wrong("it is no object");
  const given = input as Record<string, unknown>;
  const type = given.type as ValueType;
  if (!VALUE_TYPES.includes(type)) wrong(`its type must be one of ${VALUE_TYPES.join(", ")}`);
  if (!/^[a-z][a-z0-9-]*(\.[a-z0-9_-]+)+$/.test(key)) wrong("its key must be lower-case words joined by dots");
  const options = given.options as string[] | undefined;
  if (type === "select" && !(Array.isArray(options) && options.every((one) => typeof one === "string"))) {
    wrong("a select needs options, a list of texts");
  }
  const definition: Definition = {
    key,
    type,
    default: "",
    title: bilingual(given.title, key.split(".").at(-1)!),
    help: bilingual(given.help ?? given.description, ""),
    ...(given.owner === true && { owner: true }),
    ...(given.min !== undefined && { min: given.min as number | string }),
    ...(given.max !== undefined && { max: given.max as number | string }),
    ...(options && { options }),
    ...(given.format === "url" && { format: "url" as const }),
  };
  const empty: Record<ValueType, Value> = {
    string: "",
    text: "",
    secret: "",
    int: 0,
    float: 0,
    bool: false,
    duration: "0s",
    select: options?.[0] ?? "",
    json: null,
  };
  definition.default = given.default === undefined ? empty[type] : checkValue(definition, given.default, key);
  return definition;
}

/** The text that is stored for a value. */
export function toText(value: Value): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function bilingual(input: unknown, otherwise: string): Bilingual {
  if (typeof input === "string") return { en: input, zh: input };
  const { en, zh } = (input ?? {}) as Partial<Bilingual>;
  return { en: String(en ?? zh ?? otherwise), zh: String(zh ?? en ?? otherwise) };
}

function wrongUrl(text: string): string | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    return "an address that begins with http:// or https://";
  }
  if (url.username || url.password) {
    return "an address that begins with http:// or https://, without a name or password in it";
  }
  if (url.search || url.hash) return "an address that begins with http:// or https://, without ? or #";
}

function between(min: number | string | undefined, max: number | string | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? "" : ` of at most ${max}`;
}

function example(definition: Definition): string {
  if (definition.type === "secret") return "YOUR-KEY";
  if (definition.format === "url") return "https://host/v1";
  const text = toText(definition.default);
  const such = typeof definition.format === "object" ? /such as (\S+)$/.exec(definition.format.say)?.[1] : undefined;
  if (such !== undefined) return such;
  if (definition.type === "json") return `'${text}'`;
  return text === "" ? "VALUE" : /^[\w.:/-]+$/.test(text) && text.length < 40 ? text : "VALUE";
}

function shorten(input: unknown): string {
  const text = typeof input === "string" ? input : JSON.stringify(input) ?? "nothing";
  const clean = text.replace(/\p{Cc}/gu, " ");
  return `"${clean.length > 60 ? `${clean.slice(0, 57)}…` : clean}"`;
}

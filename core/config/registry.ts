import { HomedError, messageOf } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { SettingRow as WireRow } from "../wire/owner.ts";
import { checkDefinition, checkValue, type Definition, toText, type Value, type ValueType } from "./definition.ts";
import { CORE_DEFINITIONS, patternDefinition, sourceDefinitions } from "./definitions/mod.ts";
import { parseDuration } from "./duration.ts";
import { type Environment, overridesIn } from "./environment.ts";
import { maskSecret, scrub } from "./secrets.ts";
import { keyVariable, SOURCE_DEFAULTS } from "./source_defaults.ts";
import { strayName } from "./source_names.ts";
import { openSettingStore, type SettingStore } from "./store.ts";

/** Who wants to change a setting. `owner` is the person at the command line, the REPL or the logged-in page. */
export type Actor = "owner" | "tool" | `plugin:${string}`;

/** Where a value comes from, the strongest last. */
export type Origin = "default" | "stored" | "environment";

/** A setting that changed: its key, and its values as they may be shown. */
export interface SettingChange {
  key: string;
  value: Value;
  before: Value;
}

/** A setting that is as it may be and does not do what it says. */
export interface SettingWarning {
  key: string;
  text: string;
  fix: string;
}

/** One row of `homed config list`, with values as settings have them. Secrets are masked. */
export interface SettingRow extends WireRow {
  value: Value;
  default: Value;
  type: ValueType;
  origin: Origin;
}

export interface RegistryOptions {
  /** Read at the start and at `reload`. */
  env?: Environment;
}

/** Every setting: its definition, its value, and who may change it. Values come from the environment, else from the
 * store, else from the definition. */
export class Registry {
  readonly #store: SettingStore;
  readonly #options: RegistryOptions;
  readonly #definitions = new Map<string, Definition>();
  readonly #listeners = new Set<(changes: SettingChange[]) => void>();
  #stored: Map<string, string>;
  #overrides: Map<string, { variable: string; text: string }>;
  /** Every log line is looked through for them: gathered once between two changes. */
  #secrets: readonly string[] | undefined;
  /** Sentences for the person about what was found while opening. */
  readonly notices: readonly string[];

  constructor(store: SettingStore, options: RegistryOptions & { notices?: string[] } = {}) {
    this.#store = store;
    this.#options = options;
    this.notices = options.notices ?? [];
    for (const definition of CORE_DEFINITIONS) this.#definitions.set(definition.key, definition);
    for (const source of Object.keys(SOURCE_DEFAULTS)) {
      for (const definition of sourceDefinitions(source)) this.#definitions.set(definition.key, definition);
    }
    this.#stored = store.all();
    this.#overrides = overridesIn(options.env ?? {});
  }

  /** Opens the settings of a home. */
  static open(path: string, options: RegistryOptions = {}): Registry {
    const { store, notices } = openSettingStore(path);
    return new Registry(store, { ...options, notices });
  }

  /** Adds the settings of a plugin, or replaces them. Keys may be given with or without `plugin.<name>.`.
   * @throws {HomedError} code `bad_definition` */
  define(plugin: string, definitions: readonly unknown[]): Definition[] {
    const prefix = `plugin.${plugin}.`;
    const checked = definitions.map((input) => {
      const given = String((input as { key?: unknown } | null)?.key ?? "");
      return checkDefinition(input, given.startsWith(prefix) ? given : prefix + given);
    });
    for (const definition of checked) this.#definitions.set(definition.key, definition);
    this.#secrets = undefined;
    return checked;
  }

  /** Forgets a plugin's settings; `values`: also what is stored of them. */
  undefine(plugin: string, options: { values?: boolean } = {}): void {
    const prefix = `plugin.${plugin}.`;
    for (const key of [...this.#definitions.keys()]) if (key.startsWith(prefix)) this.#definitions.delete(key);
    if (!options.values) return;
    const keys = [...this.#stored.keys()].filter((key) => key.startsWith(prefix));
    if (keys.length > 0) this.#write(new Map(keys.map((key) => [key, null])));
  }

  /** The definition of a key.
   * @throws {HomedError} code `unknown_key` */
  definition(key: string): Definition {
    const found = this.#definitions.get(key) ?? patternDefinition(key);
    if (found) return found;
    const near = this.#nearest(key);
    throw new HomedError("unknown_key", `There is no setting "${key}"`, {
      fix: near ? `did you mean ${near}?` : "homed config list shows every setting",
    });
  }

  origin(key: string): Origin {
    return this.#overrides.has(key) ? "environment" : this.#stored.has(key) ? "stored" : "default";
  }

  /** A setting's value, secrets in clear. A stored value or variable that no longer fits counts as not there
   * (`problems` names it).
   * @throws {HomedError} code `unknown_key` */
  get(key: string): Value {
    const definition = this.definition(key);
    for (const text of [this.#overrides.get(key)?.text, this.#stored.get(key)]) {
      if (text === undefined) continue;
      try {
        return checkValue(definition, text);
      } catch {
        // Told by `problems`.
      }
    }
    return definition.default;
  }

  text(key: string): string {
    return String(this.get(key));
  }

  number(key: string): number {
    return Number(this.get(key));
  }

  flag(key: string): boolean {
    return this.get(key) === true;
  }

  /** A duration in milliseconds. */
  duration(key: string): number {
    return parseDuration(this.text(key)) ?? 0;
  }

  /** A value as it may be shown. */
  shown(key: string): Value {
    const value = this.get(key);
    return this.definition(key).type === "secret" ? maskSecret(this.#secret(key)) : value;
  }

  /** Every key there is: defined, stored or overridden. */
  keys(prefix = ""): string[] {
    const keys = new Set(this.#definitions.keys());
    for (const key of [...this.#stored.keys(), ...this.#overrides.keys()]) {
      const source = /^(core\.llm\.sources\.)([^.]+)\./.exec(key);
      if (source && patternDefinition(key)) { for (const row of sourceDefinitions(source[2]!)) keys.add(row.key); }
      else if (patternDefinition(key)) keys.add(key);
    }
    return [...keys].filter((key) => isUnder(key, prefix)).sort();
  }

  list(prefix = "", language: "en" | "zh" = "en"): SettingRow[] {
    return this.keys(prefix).map((key) => {
      const definition = this.definition(key);
      return {
        key,
        value: this.shown(key),
        default: definition.default,
        type: definition.type,
        title: definition.title[language],
        secret: definition.type === "secret",
        help: definition.help[language],
        origin: this.origin(key),
        owner: definition.owner === true,
      };
    });
  }

  /** Stores a value, from a person's text or from JSON, and tells the listeners.
   * @throws {HomedError} codes `unknown_key`, `bad_value`, `owner_key` */
  set(key: string, value: unknown, actor: Actor): SettingChange[] {
    const definition = this.definition(key);
    this.#permit(definition, key, actor);
    const checked = this.#checked(definition, value, key);
    const stray = strayName(this, definition, checked);
    if (stray) {
      const { reason, fix } = stray;
      throw new HomedError("bad_value", `"${checked}" cannot be the value of ${key}: it must be ${reason}`, { fix });
    }
    const changes = new Map<string, string | null>([[key, toText(checked)]]);
    this.#forgetKeyOfOldHost(key, toText(checked), changes);
    return this.#change(changes);
  }

  /** Checks a value; what is refused is shown without the secrets that got there by mistake. */
  #checked(definition: Definition, value: unknown, key: string): Value {
    try {
      return checkValue(definition, value, key);
    } catch (error) {
      if (!(error instanceof HomedError)) throw error;
      throw new HomedError(error.code, this.scrub(error.message), {
        ...(error.fix !== undefined && { fix: error.fix }),
        cause: error,
      });
    }
  }

  /** Forgets a stored value, so that the default counts again.
   * @throws {HomedError} codes `unknown_key`, `owner_key` */
  unset(key: string, actor: Actor): SettingChange[] {
    const definition = this.definition(key);
    this.#permit(definition, key, actor);
    const changes = new Map<string, string | null>([[key, null]]);
    this.#forgetKeyOfOldHost(key, toText(definition.default), changes);
    return this.#change(changes);
  }

  /** Reads the store and `env` again, as SIGHUP wants, and tells what changed. */
  reload(env?: Environment): SettingChange[] {
    const before = this.#snapshot();
    this.#stored = this.#store.all();
    this.#secrets = undefined;
    if (env) this.#overrides = overridesIn(env);
    return this.#tell(before);
  }

  /** Calls `listener` after every change with all that changed at once; it must not throw. */
  onChange(listener: (changes: SettingChange[]) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Tells of a stored value that is not in force, as a variable has the last word; undefined when it is. */
  overridden(key: string): SettingWarning | undefined {
    const variable = this.#overrides.get(key)?.variable;
    if (variable === undefined || !this.#stored.has(key)) return undefined;
    return { key, text: `${key} is stored, and ${variable} has the last word`, fix: "take that variable away" };
  }

  /** Values and variables that are not taken, each with the reason. */
  problems(): string[] {
    const found: string[] = [];
    for (const [key, { variable, text }] of this.#overrides) {
      try {
        checkValue(this.definition(key), text, key);
      } catch (error) {
        const isUnknown = (error as HomedError).code === "unknown_key";
        if (isUnknown && key.startsWith("plugin.")) continue;
        const fix = isUnknown ? `: ${(error as HomedError).fix}` : "";
        found.push(`${variable} is not used: ${this.scrub(messageOf(error))}${fix}`);
      }
    }
    for (const [key, text] of this.#stored) {
      try {
        checkValue(this.definition(key), text, key);
      } catch (error) {
        const plugin = key.startsWith("plugin.") && (error as HomedError).code === "unknown_key";
        if (!plugin) found.push(`The stored value of ${key} is not used: ${this.scrub(messageOf(error))}`);
      }
    }
    return found;
  }

  /** The key of an LLM source: as set, else from the environment. */
  sourceKey(source: string): string {
    return this.#secret(`core.llm.sources.${source}.api_key`);
  }

  /** Takes every secret out of a text. */
  scrub(text: string): string {
    return scrub(text, this.secrets());
  }

  /** All secrets there are, in clear. */
  secrets(): readonly string[] {
    this.#secrets ??= this.keys().filter((key) => this.definition(key).type === "secret")
      .map((key) => this.#secret(key)).filter((secret) => secret !== "");
    return this.#secrets;
  }

  /** Whether the settings' database finds itself whole. */
  isWhole(): boolean {
    return this.#store.isWhole();
  }

  /** Writes a whole copy of the stored settings to `path`, where nothing may be yet. */
  copyTo(path: string): void {
    this.#store.copyTo(path);
  }

  close(): void {
    this.#store.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #secret(key: string): string {
    const value = this.text(key);
    const source = /^core\.llm\.sources\.([^.]+)\.api_key$/.exec(key)?.[1];
    return value === "" && source !== undefined ? this.#options.env?.[keyVariable(source)]?.trim() ?? "" : value;
  }

  #permit(definition: Definition, key: string, actor: Actor): void {
    if (!definition.owner || actor === "owner") return;
    throw new HomedError("owner_key", `${key} changes only by your own hand, not by a tool or a plugin`, {
      fix: `homed config set ${key} VALUE, or the settings page`,
    });
  }

  /** A key is for one host: a source that moves to another must be given its key again. */
  #forgetKeyOfOldHost(key: string, next: string, changes: Map<string, string | null>): void {
    const source = /^core\.llm\.sources\.([^.]+)\.base_url$/.exec(key)?.[1];
    if (source === undefined) return;
    const secret = `core.llm.sources.${source}.api_key`;
    const before = this.#stored.get(key) ?? toText(this.definition(key).default);
    if (this.#stored.has(secret) && hostOf(before) !== hostOf(next)) changes.set(secret, null);
  }

  #change(changes: Map<string, string | null>): SettingChange[] {
    const before = this.#snapshot();
    this.#write(changes);
    return this.#tell(before);
  }

  #write(changes: Map<string, string | null>): void {
    this.#store.write(changes);
    this.#secrets = undefined;
    for (const [key, text] of changes) {
      if (text === null) this.#stored.delete(key);
      else this.#stored.set(key, text);
    }
  }

  #snapshot(): Map<string, { raw: string; shown: Value }> {
    return new Map(this.keys().map((key) => [key, { raw: JSON.stringify(this.get(key)), shown: this.shown(key) }]));
  }

  #tell(before: Map<string, { raw: string; shown: Value }>): SettingChange[] {
    const changes: SettingChange[] = [];
    for (const key of new Set([...this.keys(), ...before.keys()])) {
      const definition = this.#definitions.get(key) ?? patternDefinition(key);
      if (!definition) continue;
      // The settings of a source that has just got its first one come with their defaults: nothing changed in them.
      const was = before.get(key) ?? { raw: JSON.stringify(definition.default), shown: definition.default };
      if (was.raw !== JSON.stringify(this.get(key))) changes.push({ key, value: this.shown(key), before: was.shown });
    }
    if (changes.length > 0) { for (const listener of this.#listeners) listener(changes); }
    return changes;
  }

  #nearest(key: string): string | undefined {
    const known = [...this.#definitions.keys()];
    const tail = key.split(".").at(-1)!;
    return nearest(key, known) ?? known.find((one) => one.endsWith(`.${tail}`));
  }
}

function isUnder(key: string, prefix: string): boolean {
  return prefix === "" || key === prefix || key.startsWith(prefix.endsWith(".") ? prefix : `${prefix}.`);
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "";
}

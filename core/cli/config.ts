import type { SettingRow } from "../wire/owner.ts";
import { inLanguage } from "./chinese.ts";
import { EXIT } from "./failure.ts";
import { printTable } from "./table.ts";
import type { VerbCall } from "./verb.ts";

/** What this verb asks: the running homed, or the settings themselves when none runs. */
interface Settings {
  list(prefix: string): Promise<SettingRow[]>;
  get(key: string): Promise<unknown>;
  set(key: string, value: string): Promise<{ value: unknown; also: string[]; warnings?: string[] }>;
  unset(key: string): Promise<unknown>;
}

export function run(call: VerbCall): Promise<number> {
  return withSettings(call, (settings) => carryOut(call, settings));
}

async function carryOut(call: VerbCall, settings: Settings): Promise<number> {
  const { sub, words, io, json, language } = call;
  const [key = "", value = ""] = words;
  switch (sub) {
    case "list": {
      const rows = await settings.list(key);
      if (json) io.write(JSON.stringify(rows) + "\n");
      else {
        printTable(
          io,
          rows.map((row) => [
            row.origin === "default" ? " " : row.origin === "stored" ? "*" : "e",
            row.key,
            show(row.value).replace(/\s+/g, " "),
            row.title,
          ]),
          [0, 0, 44, 40],
        );
        if (rows.length === 0) io.writeError(language === "zh" ? "没有这样的设置\n" : "There are no such settings\n");
      }
      return EXIT.done;
    }
    case "get": {
      const found = await settings.get(key);
      io.write((json ? JSON.stringify({ key, value: found }) : show(found)) + "\n");
      return EXIT.done;
    }
    case "set": {
      const changed = await settings.set(key, value);
      if (json) io.write(JSON.stringify({ key, ...changed }) + "\n");
      else {
        io.write(`${key} = ${show(changed.value)}\n`);
        for (const other of changed.also) {
          io.write(language === "zh" ? `${other} 已一并清除\n` : `${other} was forgotten with it\n`);
        }
        for (const warning of changed.warnings ?? []) io.writeError(inLanguage(warning, language) + "\n");
      }
      return EXIT.done;
    }
    default: {
      const left = await settings.unset(key);
      io.write(json ? JSON.stringify({ key, value: left }) + "\n" : `${key} = ${show(left)}\n`);
      return EXIT.done;
    }
  }
}

async function withSettings<R>(call: VerbCall, work: (settings: Settings) => Promise<R>): Promise<R> {
  const room = await call.room();
  const home = await call.home();
  const { language } = call;
  for (let attempt = 0;; attempt++) {
    const client = await room.joinDaemon(home);
    if (client) {
      try {
        return await work({
          list: (prefix) => client.call("config.list", { prefix, language }),
          get: async (key) => (await client.call("config.get", { key })).value,
          set: (key, value) => client.call("config.set", { key, value }),
          unset: async (key) => (await client.call("config.unset", { key })).value,
        });
      } finally {
        await client.close();
      }
    }
    try {
      using opened = room.openSettings(home, call.io.env);
      const { registry } = opened;
      if (mayBePlugins(call)) await room.definePluginSettings(home, registry);
      const problems = [...registry.notices, ...registry.problems()];
      const result = await work({
        list: (prefix) => Promise.resolve(registry.list(prefix, language)),
        get: (key) => Promise.resolve(registry.shown(key)),
        set: (key, value) => {
          const changes = registry.set(key, value, "owner");
          const also = changes.map((change) => change.key).filter((changed) => changed !== key);
          const warning = registry.overridden(key);
          const warnings = warning && [`${warning.text}: ${warning.fix}`];
          return Promise.resolve({ value: registry.shown(key), also, ...(warnings && { warnings }) });
        },
        unset: (key) => {
          registry.unset(key, "owner");
          return Promise.resolve(registry.shown(key));
        },
      });
      for (const text of problems) call.io.writeError(inLanguage(text, language) + "\n");
      return result;
    } catch (error) {
      // A homed has the home and does not answer yet, or any more.
      if (!room.isLocked(error) || attempt >= 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Whether the verb is about settings of plugins, too: only then are their manifests read. */
const mayBePlugins = ({ words: [key = ""] }: VerbCall) => key.startsWith("plugin.") || "plugin.".startsWith(key);

const show = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value);

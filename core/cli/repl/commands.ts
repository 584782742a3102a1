import { nearest } from "../../base/nearest.ts";
import type { Hit } from "../../wire/memory.ts";
import { hitText } from "../labels.ts";
import type { Language } from "../language.ts";
import { attach } from "./attach.ts";
import { type Command, type CommandContext, UsageError } from "./command.ts";
import type { ConfigItem } from "./session.ts";
import { setup } from "./setup.ts";
import { type Line, line } from "./spans.ts";
import { sourceState } from "./texts.ts";
import { visible, visibleLine } from "./visible.ts";
import { fit, textWidth } from "./width.ts";

const MAX_SETTINGS = 40;
const TOP = 8;

/** Every `/` command. The help, the completion and the dispatch read these rows. */
export const COMMANDS: readonly Command[] = [
  { name: "help", args: "[COMMAND]", help: "cmdHelp", run: help, complete: () => COMMANDS.map(({ name }) => name) },
  { name: "setup", args: "", help: "cmdSetup", run: setup },
  { name: "sources", args: "[NAME]", help: "cmdSources", run: sources, complete: sourceNames },
  { name: "tools", args: "[NAME]", help: "cmdTools", run: tools, complete: toolNames },
  { name: "memory", args: "[QUERY]", help: "cmdMemory", run: memory },
  { name: "config", args: "[KEY [VALUE]]", help: "cmdConfig", run: config, complete: configWords },
  { name: "undo", args: "", help: "cmdUndo", run: undo },
  { name: "attach", args: "FILE", help: "cmdAttach", run: attach },
  { name: "clear", args: "", help: "cmdClear", run: ({ display }) => display.clear() },
  { name: "quit", args: "", help: "cmdQuit", run: ({ leave }) => leave() },
];

/** The command a line calls and the rest of the line; `unknown` when it looks like one and is none; undefined for a
 * message (a path like `/etc/hosts` is one, and so is what begins with `//`). */
export function parseCommand(
  text: string,
): { kind: "command"; command: Command; rest: string } | { kind: "unknown"; name: string; near?: string } | undefined {
  const found = /^\/([a-z?]+)(?:\s+([\s\S]*))?$/i.exec(text.trim());
  if (!found) return undefined;
  const name = found[1]!.toLowerCase();
  const wanted = ALIASES[name] ?? name;
  const command = COMMANDS.find((one) => one.name === wanted);
  if (command) return { kind: "command", command, rest: (found[2] ?? "").trim() };
  const names = COMMANDS.map((one) => one.name);
  const near = nearest(name, names) ?? names.find((one) => one.startsWith(name));
  return { kind: "unknown", name: `/${name}`, ...(near !== undefined && { near: `/${near}` }) };
}

const ALIASES: Record<string, string> = { exit: "quit", q: "quit", "?": "help", h: "help" };

/** What Tab may put in place of the last word before the cursor. `from`: where that word begins. */
export async function completions(
  context: CommandContext,
  before: string,
): Promise<{ from: number; candidates: string[] }> {
  const none = { from: before.length, candidates: [] };
  if (!before.startsWith("/") || before.includes("\n")) return none;
  const words = before.slice(1).split(/\s+/);
  const last = words.at(-1)!, from = before.length - last.length;
  if (words.length === 1) {
    const names = COMMANDS.map(({ name }) => name).filter((name) => name.startsWith(last));
    return { from, candidates: names };
  }
  const command = COMMANDS.find(({ name }) => name === words[0]);
  const all = await command?.complete?.(context, words.slice(1)) ?? [];
  return { from, candidates: all.filter((candidate) => candidate.startsWith(last)) };
}

function help({ display, texts }: CommandContext, rest: string): void {
  const name = rest.replace(/^\//, "");
  const wanted = name === "" ? COMMANDS : COMMANDS.filter((one) => one.name === name);
  if (wanted.length === 0) throw new UsageError(texts("unknownCommand", { name: `/${visibleLine(name)}` }));
  display.print(...aligned(wanted.map((one) => [`/${one.name} ${one.args}`.trim(), texts(one.help)])));
  if (name === "") display.print(line(texts("helpKeys"), { dim: true }), line(texts("helpBusy"), { dim: true }));
}

async function sources({ session, display, texts }: CommandContext, rest: string): Promise<void> {
  const { kernel } = await session.call("status", {});
  if (rest !== "") {
    if (rest !== "auto" && !kernel.sources.some(({ name }) => name === rest)) {
      throw new UsageError(texts("sourceUnknown", { name: visibleLine(rest) }));
    }
    await session.call("config.set", { key: "core.llm.provider", value: rest });
    display.print(line(rest === "auto" ? texts("sourceAll") : texts("sourceAsked", { name: rest })));
    return;
  }
  if (kernel.sources.length === 0) return display.print(line(texts("sourcesNone")));
  const colors = { ready: "green", paused: "yellow", out: "red" } as const;
  const names = aligned(kernel.sources.map(({ name, model }) => [name, model]));
  display.print(...kernel.sources.map(({ state, reason }, i): Line => ({
    spans: [
      { text: "● ", look: { color: colors[state] } },
      ...names[i]!.spans,
      { text: `  ${visibleLine(sourceState(state, reason, texts))}`, look: { dim: true } },
    ],
    hang: 4,
  })));
}

async function sourceNames({ session }: CommandContext, words: string[]): Promise<string[]> {
  if (words.length > 1) return [];
  return ["auto", ...(await session.call("status", {})).kernel.sources.map(({ name }) => name)];
}

async function tools({ session, display, texts }: CommandContext, rest: string): Promise<void> {
  const all = [...(await session.call("tools.list", {})).tools].sort((a, b) => a.name < b.name ? -1 : 1);
  if (rest === "") {
    const width = Math.min(32, Math.max(0, ...all.map(({ name }) => textWidth(name))));
    const room = Math.max(10, display.columns - width - 3);
    display.print(
      ...aligned(all.map(({ name, description }) => [name, fit(visibleLine(description), room)])),
      line(texts("toolsCount", { count: all.length }), { dim: true }),
    );
    return;
  }
  const tool = all.find(({ name }) => name === rest);
  if (!tool) throw new UsageError(texts("toolUnknown", { name: visibleLine(rest) }));
  display.print(
    {
      spans: [{ text: tool.name, look: { bold: true } }, { text: `  ${visibleLine(tool.owner)}`, look: { dim: true } }],
    },
    ...textLines(tool.description),
    ...textLines(JSON.stringify(tool.parameters, null, 2)).map((one): Line => ({ ...one, hard: true })),
  );
}

async function toolNames({ session }: CommandContext, words: string[]): Promise<string[]> {
  return words.length > 1 ? [] : (await session.call("tools.list", {})).tools.map(({ name }) => name);
}

async function memory({ session, display, texts, io }: CommandContext, rest: string): Promise<void> {
  if (rest === "") {
    const stats = await session.call("memory.stats", {});
    display.print(
      line(texts("memoryStats", {
        relations: stats.relations,
        current: stats.current_relations,
        entities: stats.entities,
        documents: stats.documents,
        messages: stats.messages,
        knowledge: stats.knowledge,
        media: stats.media.items,
        context: stats.context_events,
      })),
      line(
        texts("memoryEmbedder", { name: stats.embedder.name, dimension: stats.embedder.dimension }) +
          (stats.embedder.pending > 0 ? texts("memoryPending", { pending: stats.embedder.pending }) : ""),
        { dim: true },
      ),
    );
    return;
  }
  const { hits } = await session.call("memory.recall", { query: rest, top: TOP });
  if (hits.length === 0) return display.print(line(texts("memoryNothing")));
  display.print(...hits.map((hit): Line => ({
    spans: [
      { text: "• " },
      { text: visibleLine(hit.text), ...(hit.current === false && { look: { strike: true as const } }) },
      {
        text: `  ${hitWords(hit, io.lang)} · ${hit.at.slice(0, 10)}${
          hit.current === false ? ` · ${texts("memoryOld")}` : ""
        }`,
        look: { dim: true },
      },
    ],
    hang: 2,
  })));
}

function hitWords(hit: Hit, language: Language): string {
  const { kind, why } = hitText(hit, language);
  return `${kind} · ${why}`;
}

async function config({ session, display, texts, io }: CommandContext, rest: string): Promise<void> {
  const [, key, value] = /^(\S*)(?:\s+([\s\S]+))?$/.exec(rest) ?? [];
  if (key && value !== undefined) {
    const { warnings = [] } = await session.call("config.set", { key, value });
    display.print(line(texts("configSet", { key: visibleLine(key) })));
    display.note(...warnings.map((text) => line(visibleLine(texts.told(text)), { color: "yellow" })));
    return;
  }
  const items = await session.call("config.list", { ...(key && { prefix: key }), language: io.lang });
  const exact = items.find((item) => item.key === key);
  const shown = exact ? [exact] : items;
  if (shown.length === 0) throw new UsageError(texts("configNone", { key: visibleLine(key ?? "") }));
  display.print(...aligned(shown.slice(0, MAX_SETTINGS).map((item) => [item.key, valueOf(item)])));
  if (exact) display.print(...textLines(exact.title).map((one) => line(one.spans[0]!.text, { dim: true })));
  if (shown.length > MAX_SETTINGS) {
    display.print(line(texts("configMore", { count: shown.length - MAX_SETTINGS }), { dim: true }));
  }
}

async function configWords({ session }: CommandContext, words: string[]): Promise<string[]> {
  if (words.length === 1) return (await session.call("config.list", { prefix: words[0]! })).map(({ key }) => key);
  const [item] = (await session.call("config.list", { prefix: words[0]! })).filter(({ key }) => key === words[0]);
  return item?.type === "bool" ? ["true", "false"] : [];
}

function valueOf({ value }: ConfigItem): string {
  return visibleLine(typeof value === "string" ? value : JSON.stringify(value) ?? "");
}

async function undo({ session, display, texts }: CommandContext, rest: string): Promise<void> {
  const { undone, kind } = await session.call("memory.undo", rest === "" ? {} : { id: rest });
  display.print(line(texts("undone", { kind: visibleLine(kind), id: visibleLine(undone) })));
}

/** Text of several lines, made safe. */
function textLines(text: string): Line[] {
  return visible(text).split("\n").map((one) => line(one));
}

/** Two columns, the first as wide as its widest cell. */
function aligned(rows: [string, string][]): Line[] {
  const safe = rows.map(([name, text]) => [visibleLine(name), text] as const);
  const width = Math.max(0, ...safe.map(([name]) => textWidth(name)));
  return safe.map(([name, text]) => ({
    spans: [{ text: name, look: { bold: true } }, { text: " ".repeat(width - textWidth(name) + 2) }, { text }],
    hang: width + 2,
  }));
}

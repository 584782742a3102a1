import type { ChatReply } from "../../wire/chat.ts";
import type { Display } from "./display.ts";
import { MarkdownStream } from "./markdown.ts";
import type { SessionEvent } from "./session.ts";
import { type Line, line } from "./spans.ts";
import type { Texts } from "./texts.ts";
import { visible, visibleLine } from "./visible.ts";
import { fit, textWidth } from "./width.ts";

const MAX_ARGS = 60;

/** Shows one turn from its events. Approvals are not its matter. */
export class TurnView {
  readonly #display: Display;
  readonly #texts: Texts;
  /** The text of the model call that is running, as written so far. */
  #text: { source: string; markdown: MarkdownStream } | undefined;
  #reasoning: string | undefined;
  #running: { name: string; args: string }[] = [];
  /** All text kept in this turn, to tell whether the reply was shown already. */
  #said = "";
  #replied = false;

  constructor(display: Display, texts: Texts) {
    this.#display = display;
    this.#texts = texts;
    this.#status();
  }

  event(event: SessionEvent): void {
    switch (event.type) {
      case "started":
        return this.#status();
      case "delta":
        return this.#delta(event.text);
      case "reasoning":
        return this.#reason(event.text);
      case "tool":
        this.#keep();
        this.#running.push({ name: event.name, args: shortArgs(event.args) });
        return this.#status();
      case "tool_result":
        return this.#toolResult(event);
      case "interrupt":
        this.#keep();
        return this.#display.note(line(`↪ ${visibleLine(event.text)}`, { color: "blue" }));
      case "notice":
        return event.withdraws ? this.#withdraw(event.text) : this.#notice(event.text);
      case "reply":
        return this.#reply(event.text);
      case "approval":
        return this.#keep();
      default:
        return event satisfies never;
    }
  }

  /** The turn is over. */
  end(reply: ChatReply | undefined): void {
    if (reply && !this.#replied) this.#reply(reply.reply);
    this.#keep();
    for (const { name, args } of this.#running.splice(0)) {
      this.#toolLine(name, args, this.#texts("toolNoResult"), false);
    }
    this.#display.status([]);
  }

  #delta(text: string): void {
    if (this.#reasoning !== undefined) this.#keep();
    if (!this.#text) {
      const markdown = new MarkdownStream({ width: () => this.#display.columns, plain: this.#display.plain });
      this.#text = { source: "", markdown };
    }
    this.#text.source += text;
    this.#text.markdown.push(text);
    this.#display.draft(this.#text.markdown.lines, this.#text.markdown.tail());
  }

  #reason(text: string): void {
    if (this.#display.kind === "pipe") return;
    if (this.#text) this.#keep();
    this.#reasoning = (this.#reasoning ?? "") + text;
    const lines = visible(this.#reasoning).replace(/^\n+/, "").split("\n").map((one) => line(one, { dim: true }));
    this.#display.draft(lines.slice(0, -1), lines.slice(-1));
  }

  #toolResult({ name, ok, summary }: { name: string; ok: boolean; summary: string }): void {
    const at = this.#running.findIndex((one) => one.name === name);
    const args = at < 0 ? "" : this.#running.splice(at, 1)[0]!.args;
    this.#keep();
    this.#toolLine(name, args, summary, ok);
    this.#status();
  }

  #toolLine(name: string, args: string, summary: string, ok: boolean): void {
    const room = this.#display.columns - 2;
    const tail = visibleLine(summary);
    const head = fit(`${visibleLine(name)}${args}`, tail ? Math.max(room >> 1, room - textWidth(tail) - 3) : room);
    const shown = fit(tail ? `${head} — ${tail}` : head, room);
    this.#display.note({
      spans: [{ text: ok ? "✓ " : "✗ ", look: { color: ok ? "green" : "red" } }, { text: shown, look: { dim: true } }],
    });
  }

  #withdraw(notice: string): void {
    this.#text = undefined;
    this.#reasoning = undefined;
    const left = this.#display.dropDraft();
    const text = this.#texts(left > 0 ? "withdrawnLines" : "withdrawn", { notice: visibleLine(notice), count: left });
    this.#display.note(line(`⌫ ${text}`, { color: "yellow" }));
  }

  #notice(text: string): void {
    this.#keep();
    this.#display.note(...visible(text).split("\n").map((one): Line => line(`· ${one}`, { color: "yellow" })));
  }

  /** The final text: as streamed it stays; changed on its way out (or never streamed) it is shown as it is now. */
  #reply(text: string): void {
    this.#replied = true;
    const streamed = this.#text?.source ?? "";
    const shown = same(streamed, text) || same(this.#said + streamed, text) ||
      (streamed === "" && same(this.#said, text));
    if (!shown) {
      const left = this.#text ? this.#display.dropDraft() : 0;
      this.#text = undefined;
      if (left > 0) {
        const notice = this.#texts("replyChanged");
        this.#display.note(line(this.#texts("withdrawnLines", { count: left, notice }), { color: "yellow" }));
      }
      if (text.trim() !== "") this.#delta(text);
    }
    this.#keep();
    this.#display.status([]);
  }

  #keep(): void {
    if (this.#text) {
      this.#text.markdown.end();
      this.#said += this.#text.source;
      this.#display.draft(this.#text.markdown.lines, []);
      this.#text = undefined;
    }
    this.#reasoning = undefined;
    this.#display.keepDraft();
  }

  #status(): void {
    const tools = this.#running.map(({ name, args }) => `${name}${args}`);
    this.#display.status(tools.length > 0 ? tools : [this.#texts("thinking")]);
  }
}

const same = (one: string, other: string): boolean => one.trim() === other.trim();

/** Arguments in a few words: `(query: "ports", top: 3)`. */
export function shortArgs(args: unknown): string {
  if (typeof args !== "object" || args === null) {
    return args === undefined ? "" : `(${fit(visibleLine(String(args)), MAX_ARGS)})`;
  }
  const parts = Object.entries(args).map(([name, value]) =>
    `${name}: ${typeof value === "string" ? JSON.stringify(value.slice(0, MAX_ARGS)) : JSON.stringify(value)}`
  );
  return parts.length === 0 ? "" : `(${fit(visibleLine(parts.join(", ")), MAX_ARGS)})`;
}

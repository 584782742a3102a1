import type { Progress } from "../../base/progress.ts";
import type { MediaInput } from "../../wire/chat.ts";
import { RPC_CODES, RpcError } from "../../wire/rpc.ts";
import { barText } from "../progress_bar.ts";
import { askApproval } from "./approval.ts";
import { type CommandContext, UsageError } from "./command.ts";
import { completions, parseCommand } from "./commands.ts";
import type { Display } from "./display.ts";
import { failureLines, isNoSource } from "./failure.ts";
import type { ReplIo } from "./io.ts";
import { MarkdownStream } from "./markdown.ts";
import type { ReplSession, SessionEvent } from "./session.ts";
import { line } from "./spans.ts";
import type { Texts } from "./texts.ts";
import { TurnView } from "./turn_view.ts";
import { visibleLine } from "./visible.ts";

/** A second Ctrl-C within this leaves. */
const LEAVE_MS = 2000;

interface Turn {
  /** Known from its first event on. */
  id: string | undefined;
  /** Ctrl-C came before that. */
  cancelled: boolean;
  view: TurnView;
  over: AbortController;
}

/** What a person does with an agent, whatever it is shown on: messages, commands, interrupts, approvals. */
export class Conversation {
  readonly #session: ReplSession;
  readonly #display: Display;
  readonly #io: ReplIo;
  readonly #texts: Texts;
  readonly #context: CommandContext;
  #turn: Turn | undefined;
  /** Commands run one after another; how many are not done. */
  #commands: Promise<void> = Promise.resolve();
  #waiting = 0;
  #media: MediaInput[] = [];
  #lastInterrupt = -Infinity;
  #leaving = false;
  /** Long work that is going on, by its title. */
  readonly #work = new Map<string, number>();
  /** The exit status of the last thing that failed; 0 when nothing did. */
  #status = 0;

  /** `leave` is called when `/quit` was typed. */
  constructor(options: { session: ReplSession; display: Display; io: ReplIo; texts: Texts; leave: () => void }) {
    this.#session = options.session;
    this.#display = options.display;
    this.#io = options.io;
    this.#texts = options.texts;
    this.#context = {
      session: options.session,
      display: options.display,
      io: options.io,
      texts: options.texts,
      attach: (media) => void this.#media.push(media),
      leave: () => {
        this.#leaving = true;
        options.leave();
      },
    };
    this.#session.onOutput(({ text }) => this.#output(text));
    this.#session.onProgress((progress) => this.#progress(progress));
  }

  get status(): number {
    return this.#status;
  }

  get busy(): boolean {
    return this.#turn !== undefined;
  }

  /** `/quit` was typed. */
  get leaving(): boolean {
    return this.#leaving;
  }

  /** The line that greets: which models answer, or that none is configured and how to add one. */
  async welcome(): Promise<void> {
    try {
      const { version, kernel, notices = [] } = await this.#session.call("status", {});
      this.#display.print(line(this.#texts("welcome", { version: visibleLine(version) }), { dim: true }));
      const names = kernel.sources.map(({ name, model }) => visibleLine(model ? `${name} (${model})` : name));
      this.#display.print(
        names.length > 0
          ? line(this.#texts("welcomeSources", { names: names.join(", ") }), { dim: true })
          : line(this.#texts("welcomeOffline"), { color: "yellow" }),
      );
      // The latest of what the person should know: a daemon that has run for months has a long list.
      for (const text of notices.slice(-3)) {
        this.#display.note(line(visibleLine(this.#texts.told(text)), { color: "yellow" }));
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #progress({ title, share }: Progress): void {
    const told = visibleLine(this.#texts.told(title));
    if (share !== null && share < 1) this.#work.set(told, share);
    else this.#work.delete(told);
    this.#display.progress([...this.#work].map(([title, share]) => barText(title, share)));
  }

  /** What was typed: a command, a message, or text for the turn that runs. Settles when that is done; never rejects. */
  async submit(typed: string): Promise<void> {
    const text = typed.trim();
    if (text === "") return;
    const parsed = text.startsWith("//") ? undefined : parseCommand(text);
    if (parsed?.kind === "unknown") {
      this.#status = 1;
      const near = parsed.near ? ` ${this.#texts("didYouMean", { name: parsed.near })}` : "";
      return this.#display.note(line(this.#texts("unknownCommand", { name: parsed.name }) + near, { color: "red" }));
    }
    if (parsed) {
      const { command, rest } = parsed;
      const run = () => this.#command(() => command.run(this.#context, rest), command);
      if (command.name === "quit") return await run();
      this.#waiting++;
      this.#commands = this.#commands.then(run).finally(() => void this.#waiting--);
      return await this.#commands;
    }
    const message = text.startsWith("//") ? text.slice(1) : text;
    // What was typed after a command may build on it.
    if (this.#waiting > 0) await this.#commands;
    return this.#turn ? await this.#interruptTurn(message) : await this.#send(message);
  }

  /** Ctrl-C: first interrupts the model (or drops the line), a second time within two seconds leaves. */
  interrupt(): "leave" | "stay" {
    const now = this.#io.clock.monotonic();
    if (now - this.#lastInterrupt < LEAVE_MS) return "leave";
    this.#lastInterrupt = now;
    if (!this.#turn) this.#display.note(line(this.#texts("hintLeave"), { dim: true }));
    else {
      this.#display.note(line(this.#texts("cancelling"), { dim: true }));
      this.#turn.cancelled = true;
      if (this.#turn.id !== undefined) this.#cancel(this.#turn.id);
    }
    return "stay";
  }

  /** Candidates for the word before the cursor; none when the agent cannot be asked. */
  async complete(before: string): Promise<{ from: number; candidates: string[] }> {
    try {
      return await completions(this.#context, before);
    } catch {
      // A completion is a convenience: the command itself will say what is wrong.
      return { from: before.length, candidates: [] };
    }
  }

  async #send(text: string): Promise<void> {
    const media = this.#media.splice(0);
    const turn: Turn = {
      id: undefined,
      cancelled: false,
      view: new TurnView(this.#display, this.#texts),
      over: new AbortController(),
    };
    this.#turn = turn;
    const approvals: Promise<void>[] = [];
    try {
      const reply = await this.#session.send({ text, ...(media.length > 0 && { media }) }, (event) => {
        if (turn.id === undefined) {
          turn.id = event.turn;
          if (turn.cancelled) this.#cancel(event.turn);
        }
        turn.view.event(event);
        if (event.type === "approval") approvals.push(this.#approve(event, turn));
      });
      turn.view.end(reply);
    } catch (error) {
      turn.view.end(undefined);
      if (!(turn.cancelled && error instanceof RpcError && error.code === RPC_CODES.cancelled)) this.#fail(error);
    } finally {
      turn.over.abort();
      this.#turn = undefined;
    }
    await Promise.all(approvals);
  }

  async #approve(event: SessionEvent & { type: "approval" }, turn: Turn): Promise<void> {
    const outcome = await askApproval(event, {
      session: this.#session,
      display: this.#display,
      texts: this.#texts,
      clock: this.#io.clock,
      over: turn.over.signal,
    });
    if (outcome === "stopped" && this.#turn === turn) this.interrupt();
  }

  async #interruptTurn(text: string): Promise<void> {
    try {
      await this.#session.interrupt(text);
    } catch (error) {
      this.#display.note(...failureLines(error, this.#texts, "notDelivered"));
    }
  }

  #cancel(turn: string): void {
    this.#session.cancel(turn).catch((error: unknown) => this.#display.note(...failureLines(error, this.#texts)));
  }

  async #command(run: () => Promise<void> | void, { name, args }: { name: string; args: string }): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof UsageError)) return this.#fail(error);
      this.#status = 1;
      if (error.message !== "") this.#display.note(line(error.message, { color: "red" }));
      else this.#display.note(line(this.#texts("usage", { usage: `/${name} ${args}`.trim() }), { color: "red" }));
    }
  }

  /** What the agent says of itself. */
  #output(text: string): void {
    const markdown = new MarkdownStream({ width: () => this.#display.columns, plain: this.#display.plain });
    markdown.push(text);
    markdown.end();
    this.#display.print(...markdown.lines);
  }

  #fail(error: unknown): void {
    this.#status = isNoSource(error) ? 3 : 1;
    this.#display.note(...failureLines(error, this.#texts));
  }
}

import { newId } from "../base/ids.ts";
import { messageOf } from "../base/errors.ts";
import type { ChatEventBody, ChatReply } from "../wire/chat.ts";
import type { InputParams } from "../wire/kernel.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import { consolidate } from "./consolidation.ts";
import type { Kernel } from "./kernel.ts";
import { languageOf } from "./language.ts";
import { texts } from "./texts.ts";
import { runTurn } from "./turn.ts";
import { openTurn, type Turn } from "./turn_state.ts";

/** What happens in a turn; `seq` counts from 1. */
export type TurnEvent = { turn: string; seq: number } & ChatEventBody;

/** Gets what happens in a turn, in order. Must not throw. */
export type TurnListener = (event: TurnEvent) => void;

/** A message that waits for its turn, or that came in as an interrupt. */
export interface Waiting {
  input: InputParams;
  turn: string;
  listeners: TurnListener[];
  reply: PromiseWithResolvers<ChatReply>;
}

interface SelfInput {
  prompt: string;
  answer: PromiseWithResolvers<string | null>;
}

/** More than this many messages cannot wait: the next is refused. */
const MAX_QUEUE = 1000;

const isEmpty = ({ text, media }: InputParams) => String(text ?? "").trim() === "" && !media?.length;

/** The event loop: messages one after the other, self-input when none waits, interrupts at any time, and the end. */
export class EventLoop {
  readonly #kernel: Kernel;
  readonly #inputs: Waiting[] = [];
  readonly #selfInputs: SelfInput[] = [];
  /** Interrupts that the running turn has not taken yet. */
  #intercepted: Waiting[] = [];
  #running: { turn: Turn; listeners: TurnListener[]; joined: Waiting[] } | undefined;
  #consolidation: AbortController | undefined;
  #pumping: Promise<void> | undefined;
  #stopping = false;
  turns = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  get busy(): boolean {
    return this.#running !== undefined || this.#consolidation !== undefined;
  }

  get turn(): Turn | undefined {
    return this.#running?.turn;
  }

  get queued(): number {
    return this.#inputs.length + this.#selfInputs.length;
  }

  /** Runs a turn for a message, after those that came before. An interrupt reaches the running turn instead, and is
   * answered with its reply; without one it starts a turn. */
  send(input: InputParams, listener: TurnListener = () => {}): Promise<ChatReply> {
    return this.#arrive(input, listener).reply.promise;
  }

  /** Delivers an interrupt; tells the turn it went to, or null when it was not taken. */
  interrupt(input: InputParams, listener: TurnListener = () => {}): string | null {
    if (this.#stopping || isEmpty(input)) return null;
    const waiting = this.#arrive({ ...input, interrupt: true }, listener);
    waiting.reply.promise.catch(() => {}); // whoever only interrupts waits for no reply
    return this.#running?.turn.id ?? waiting.turn;
  }

  #arrive(input: InputParams, listener: TurnListener): Waiting {
    const waiting: Waiting = {
      input: { ...input, text: String(input.text ?? "").toWellFormed() },
      turn: newId(this.#kernel.clock.now()),
      listeners: [listener],
      reply: Promise.withResolvers<ChatReply>(),
    };
    if (input.interrupt) this.#tellInterrupt(waiting);
    if (isEmpty(waiting.input)) {
      waiting.reply.reject(new RpcError(RPC_CODES.invalidParams, "There is nothing to answer: the message is empty"));
    } else if (this.#stopping) {
      const message = texts.shuttingDown(languageOf(waiting.input.text));
      waiting.reply.reject(new RpcError(RPC_CODES.shuttingDown, message));
    } else if (this.#inputs.length >= MAX_QUEUE) {
      waiting.reply.reject(new RpcError(RPC_CODES.tooLarge, `${MAX_QUEUE} messages wait already: try again later`));
    } else if (input.interrupt && this.#running) this.#intercept(waiting);
    else {
      this.#inputs.push(waiting);
      if (input.interrupt) this.#consolidation?.abort(new Error("a message came in"));
      this.#pump();
    }
    return waiting;
  }

  #tellInterrupt({ turn, input: { text, source = "cli", channel = "cli" } }: Waiting): void {
    this.#kernel.emit("interrupt", { turn: this.#running?.turn.id ?? turn, text, source, channel });
  }

  #intercept(waiting: Waiting): void {
    const { text } = waiting.input;
    this.#intercepted.push(waiting);
    this.#running!.listeners.push(...waiting.listeners);
    this.#running!.turn.say({ type: "interrupt", text });
    this.#kernel.cancelLLM();
  }

  /** What came in since the model was last asked. The turn that takes it answers it. */
  drainInterrupts(): InputParams[] {
    const taken = this.#intercepted.splice(0);
    this.#running?.joined.push(...taken);
    return taken.map(({ input }) => input);
  }

  /** Ends the running turn, or takes a waiting one out of the queue. */
  cancel(turn: string): boolean {
    if (this.#running?.turn.id === turn) {
      this.#running.turn.cancel.abort(new RpcError(RPC_CODES.cancelled, "the person stopped the turn"));
      return true;
    }
    const at = this.#inputs.findIndex((waiting) => waiting.turn === turn);
    if (at === -1) return false;
    const [waiting] = this.#inputs.splice(at, 1);
    waiting!.reply.reject(new RpcError(RPC_CODES.cancelled, "The message was taken back before its turn"));
    return true;
  }

  /** Self-input: a decision that needs the model. null when there is none, or it did not come to an answer. */
  decide(prompt: string): Promise<string | null> {
    if (this.#stopping || !this.#kernel.hasModel) return Promise.resolve(null);
    const answer = Promise.withResolvers<string | null>();
    this.#selfInputs.push({ prompt, answer });
    this.#pump();
    return answer.promise;
  }

  /** Takes nothing new, gives the running turn `grace` milliseconds, then cancels it. Resolves when all is still. */
  async stop(grace: number): Promise<void> {
    this.#stopping = true;
    for (const { answer } of this.#selfInputs.splice(0)) answer.resolve(null);
    for (const { reply, input } of this.#inputs.splice(0)) {
      reply.reject(new RpcError(RPC_CODES.shuttingDown, texts.shuttingDown(languageOf(input.text))));
    }
    this.#consolidation?.abort(new Error("homed is shutting down"));
    if (!this.#pumping) return await this.#kernel.archive.send();
    const timer = new AbortController();
    const late = this.#kernel.clock.sleep(grace, { signal: timer.signal }).then(
      () => this.#running?.turn.cancel.abort(new RpcError(RPC_CODES.shuttingDown, "homed is shutting down")),
      () => {}, // it ended in time
    );
    await this.#pumping;
    timer.abort();
    await late;
    await this.#kernel.archive.send();
  }

  #pump(): void {
    this.#pumping ??= this.#run().finally(() => {
      this.#pumping = undefined;
      if (this.#inputs.length + this.#selfInputs.length > 0) this.#pump();
    });
  }

  async #run(): Promise<void> {
    this.#kernel.archive.hold();
    for (;;) {
      const waiting = this.#inputs.shift();
      if (waiting) {
        await this.#turn(waiting);
        continue;
      }
      const self = this.#selfInputs.shift();
      if (!self) {
        if (!this.#stopping) this.#kernel.archive.rest();
        return;
      }
      await this.#self(self);
    }
  }

  async #turn(waiting: Waiting): Promise<void> {
    const listeners = [...waiting.listeners];
    let seq = 0;
    const turn = openTurn(waiting.input, {
      now: this.#kernel.clock.now(),
      id: waiting.turn,
      say: (body: ChatEventBody) => {
        const event = { turn: waiting.turn, seq: ++seq, ...body };
        for (const listen of listeners) listen(event);
      },
    });
    this.#kernel.turns.set(turn.id, turn);
    const running = this.#running = { turn, listeners, joined: [] as Waiting[] };
    let settle: (waiting: Waiting) => void;
    try {
      const reply = await runTurn(this.#kernel, turn);
      settle = (each) => each.reply.resolve(reply);
    } catch (error) {
      this.#kernel.emit("error", { turn: turn.id, message: messageOf(error) });
      this.#kernel.log.error(`A turn failed: ${messageOf(error)}`);
      settle = (each) => each.reply.reject(error);
    }
    this.turns++;
    this.#kernel.turns.delete(turn.id);
    this.#running = undefined;
    // What came in after the last call of the model starts a turn of its own.
    const left = this.#intercepted.splice(0);
    if (!this.#stopping) this.#inputs.unshift(...left);
    else for (const each of left) settle(each);
    for (const each of [waiting, ...running.joined]) settle(each);
  }

  async #self({ prompt, answer }: SelfInput): Promise<void> {
    this.#consolidation = new AbortController();
    try {
      answer.resolve(await consolidate(this.#kernel, prompt, this.#consolidation.signal));
    } catch (error) {
      this.#kernel.log.warn(`A consolidation failed: ${messageOf(error)}`);
      answer.resolve(null);
    } finally {
      this.#consolidation = undefined;
    }
  }
}

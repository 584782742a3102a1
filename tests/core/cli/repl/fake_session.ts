import type { Progress } from "../../../../core/base/progress.ts";
import type { ApprovalAnswer, ChatReply } from "../../../../core/wire/chat.ts";
import type { MemoryStats, RecallResult } from "../../../../core/wire/memory.ts";
import { RPC_CODES, RpcError } from "../../../../core/wire/rpc.ts";
import type {
  ConfigItem,
  ReplSession,
  SessionEvent,
  SessionMessage,
  SessionMethods,
  SessionStatus,
} from "../../../../core/cli/repl/session.ts";

/** A `chat.event` without its turn, as a script writes it. */
export type ScriptEvent = SessionEvent extends infer E ? E extends { turn: string } ? Omit<E, "turn"> : never : never;

/** What a turn of the fake agent does: emits, and returns its reply. Aborted by `cancel`. */
export type TurnScript = (turn: {
  message: SessionMessage;
  emit: (event: ScriptEvent) => void;
  signal: AbortSignal;
}) => Promise<string> | string;

type Calls = { [M in keyof SessionMethods]?: (params: SessionMethods[M]["params"]) => SessionMethods[M]["result"] };

/** An agent for tests of the REPL: settings in a map, turns by script, everything that was asked written down. */
export class FakeSession implements ReplSession {
  readonly sent: SessionMessage[] = [];
  readonly interrupts: string[] = [];
  readonly cancelled: string[] = [];
  readonly approvals: ApprovalAnswer[] = [];
  readonly called: { method: string; params: unknown }[] = [];
  readonly settings = new Map<string, ConfigItem>();
  script: TurnScript = ({ message, emit }) => {
    emit({ type: "delta", text: message.text });
    return message.text;
  };
  answers: Calls = {};
  sources: SessionStatus["kernel"]["sources"] = [];
  readonly #closed = Promise.withResolvers<string>();
  readonly #running = new Map<string, AbortController>();
  #listener: (message: { text: string }) => void = () => {};
  #turns = 0;

  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  async send(message: SessionMessage, onEvent: (event: SessionEvent) => void): Promise<ChatReply> {
    this.sent.push(message);
    const turn = `t${++this.#turns}`, stop = new AbortController();
    this.#running.set(turn, stop);
    const emit = (event: ScriptEvent) => onEvent({ ...event, turn } as SessionEvent);
    const stopped = new Promise<never>((_, reject) => {
      stop.signal.addEventListener("abort", () => reject(new RpcError(RPC_CODES.cancelled, "The turn was cancelled")));
    });
    try {
      await Promise.resolve();
      emit({ type: "started" });
      const reply = await Promise.race([this.script({ message, emit, signal: stop.signal }), stopped]);
      emit({ type: "reply", text: reply });
      return { turn, reply, tools: [], usage: { prompt: 1, completion: 1, total: 2 }, source: "fake" };
    } finally {
      this.#running.delete(turn);
    }
  }

  interrupt(text: string): Promise<{ turn: string | null }> {
    this.interrupts.push(text);
    return Promise.resolve({ turn: [...this.#running.keys()][0] ?? null });
  }

  cancel(turn: string): Promise<{ cancelled: boolean }> {
    this.cancelled.push(turn);
    this.#running.get(turn)?.abort();
    return Promise.resolve({ cancelled: true });
  }

  answerApproval(answer: ApprovalAnswer): Promise<{ known: boolean }> {
    this.approvals.push(answer);
    return Promise.resolve({ known: true });
  }

  onOutput(listener: (message: { text: string }) => void): void {
    this.#listener = listener;
  }

  onProgress(listener: (progress: Progress) => void): void {
    this.tellProgress = listener;
  }

  /** Long work goes on. */
  tellProgress: (progress: Progress) => void = () => {};

  /** The agent says something outside a turn. */
  say(text: string): void {
    this.#listener({ text });
  }

  /** The agent goes away. */
  close(reason: string): void {
    this.#closed.resolve(reason);
  }

  /** Adds a setting as its definition has it. */
  define(key: string, value: unknown, options: { secret?: boolean; type?: string } = {}): void {
    const { secret = false, type = "string" } = options;
    this.settings.set(key, { key, value, default: value, type, title: `Title of ${key}`, secret });
  }

  async call<M extends keyof SessionMethods>(
    method: M,
    params: SessionMethods[M]["params"],
  ): Promise<SessionMethods[M]["result"]> {
    this.called.push({ method, params });
    await Promise.resolve();
    const own = this.answers[method];
    if (own) return own(params);
    return this.#standard(method, params as Record<string, string | undefined>) as SessionMethods[M]["result"];
  }

  #standard(method: keyof SessionMethods, params: Record<string, string | undefined>): unknown {
    switch (method) {
      case "status":
        return { version: "0.1.0", home: "/home/x", kernel: this.#kernel() } satisfies SessionStatus;
      case "tools.list":
        return { tools: [{ name: "memory_recall", description: "Finds", parameters: {}, owner: "core" }] };
      case "config.list":
        return [...this.settings.values()].filter(({ key }) => key.startsWith(params.prefix ?? ""));
      case "config.set": {
        const old = this.settings.get(params.key!);
        const secret = params.key!.endsWith("api_key");
        const value = secret ? "••••" : params.value;
        this.settings.set(params.key!, {
          ...(old ?? { key: params.key!, default: "", type: "string", title: "", secret }),
          value,
        });
        return {};
      }
      case "config.unset": {
        const old = this.settings.get(params.key!);
        if (old) this.settings.set(old.key, { ...old, value: old.default });
        return {};
      }
      case "memory.stats":
        return STATS;
      case "memory.recall":
        return { answerable: false, hits: [] } satisfies RecallResult;
      case "memory.undo":
        return { undone: params.id ?? "last", kind: "commit" };
      case "llm.complete":
        return { text: "ready" };
      default:
        throw new RpcError(RPC_CODES.methodNotFound, `No method ${method}`);
    }
  }

  #kernel(): SessionStatus["kernel"] {
    return { busy: false, turn: null, queued: 0, turns: 0, context_events: 0, sources: this.sources, tools: 1 };
  }
}

const STATS: MemoryStats = {
  entities: 3,
  relations: 5,
  current_relations: 4,
  sentences: 5,
  documents: 2,
  context_events: 1,
  messages: 9,
  knowledge: 1,
  media: { items: 0, bytes: 0 },
  embedder: { name: "tfidf", dimension: 4096, fingerprint: "f", pending: 0 },
  bytes: {},
};

import { newId } from "../base/ids.ts";
import type { ChatEventBody, MediaInput } from "../wire/chat.ts";
import type { InputParams } from "../wire/kernel.ts";
import type { ChatMessage, ContentPart, TokenUsage } from "../wire/llm.ts";
import type { Brief, ContextEvent, Vector } from "../wire/memory.ts";
import type { StageContext } from "../wire/stage.ts";
import { type Language, languageOf } from "./language.ts";
import { SentLedger } from "./output.ts";
import { emptyContext } from "./stages.ts";

/** Media at hand in a turn: stored, and perhaps shown to the model. */
export interface TurnMedia {
  digest: string;
  mime: string;
  description: string;
  /** For a source that can see or hear it; absent when it is only described. */
  part?: ContentPart;
}

/** One turn while it runs. The agent's own has depth 0, a child agent's more. */
export interface Turn {
  readonly id: string;
  readonly depth: number;
  /** From the owner's socket or page: only then may the owner be asked. */
  readonly trusted: boolean;
  readonly at: number;
  readonly media: MediaInput[];
  /** A child agent's tools and its limit of tool rounds; absent for the agent itself. */
  readonly child?: { tools: ReadonlySet<string>; limit: number };
  language: Language;
  readonly ctx: StageContext;
  /** Aborted by `chat.cancel` and at the end of the shutdown's grace. */
  readonly cancel: AbortController;
  readonly say: (event: ChatEventBody) => void;
  /** The event of the user's message, once it is appended. */
  event?: ContextEvent;
  vector?: Vector | undefined;
  brief?: Brief;
  /** Answers with tool calls and their results, as they are stored. */
  readonly exchange: ChatMessage[];
  /** Ids of tool calls in this turn. */
  readonly callIds: Set<string>;
  readonly tools: string[];
  /** Owners of the tools that were called. */
  readonly owners: Set<string>;
  readonly usage: TokenUsage;
  answeredBy: string;
  readonly attached: TurnMedia[];
  /** What the next tool message carries besides its text. */
  readonly blocks: ContentPart[];
  /** What tools said, cleaned, for the vector of the reply. */
  readonly toolTexts: string[];
  readonly sent: SentLedger;
  /** Ids of memory hits that tools have given to the model. */
  readonly recalled: Set<string>;
  /** Nothing could be written: said once. */
  memoryFailed: boolean;
}

/** A turn for an input that has arrived. */
export function openTurn(
  input: InputParams,
  options: {
    now: number;
    say: (event: ChatEventBody) => void;
    id?: string;
    depth?: number;
    cancel?: AbortController;
    child?: { tools: ReadonlySet<string>; limit: number };
  },
): Turn {
  const text = input.text.toWellFormed();
  return {
    id: options.id ?? newId(options.now),
    depth: options.depth ?? 0,
    trusted: input.trusted === true,
    at: options.now,
    media: input.media ?? [],
    ...(options.child && { child: options.child }),
    language: languageOf(text),
    ctx: emptyContext({
      raw_message: text,
      user_id: input.source ?? "cli",
      channel: input.channel ?? "cli",
      source: input.source ?? "cli",
      no_memory: input.no_memory === true,
    }),
    cancel: options.cancel ?? new AbortController(),
    say: options.say,
    exchange: [],
    callIds: new Set(),
    tools: [],
    owners: new Set(),
    usage: { prompt: 0, completion: 0, total: 0 },
    answeredBy: "",
    attached: [],
    blocks: [],
    toolTexts: [],
    sent: new SentLedger(),
    recalled: new Set(),
    memoryFailed: false,
  };
}

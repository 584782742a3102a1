import {
  argumentPieces,
  DEFAULT_USAGE,
  piecesOf,
  type ScriptedCall,
  type ScriptedReply,
  type WireFormat,
} from "./reply.ts";

/** One frame of a stream: an event with its data (SSE), or a line (NDJSON). `last`: the format's own end mark. */
interface Frame {
  event?: string;
  data: string;
  last?: true;
}

const json = (value: unknown, event?: string): Frame => ({
  data: JSON.stringify(value),
  ...(event !== undefined && { event }),
});

/** The reply as a stream's text in the format. */
export function streamText(format: WireFormat, reply: ScriptedReply): string {
  if (reply.raw !== undefined) return reply.raw;
  const faults = reply.faults ?? {};
  let frames = FRAMES[format](reply);
  if (faults.errorAfter !== undefined) {
    const error = faults.error ?? DEFAULT_ERRORS[format];
    frames = [...frames.slice(0, faults.errorAfter), json(error, format === "anthropic" ? "error" : undefined)];
  }
  if (faults.noEnd) frames = frames.filter((frame) => !frame.last);
  const line = faults.crlf ? "\r\n" : "\n";
  if (format === "ollama") {
    return frames.map(({ data }) => data + line + (faults.comments ? line : "")).join("");
  }
  return frames.map(({ event, data }) =>
    (faults.comments ? `: keep-alive${line}${line}` : "") +
    (event === undefined ? "" : `event: ${event}${line}`) + `data: ${data}${line}${line}`
  ).join("");
}

/** The reply as one whole JSON body in the format, for requests that do not stream. */
export function wholeBody(format: WireFormat, reply: ScriptedReply): unknown {
  return WHOLE[format](reply);
}

const DEFAULT_ERRORS: Record<WireFormat, unknown> = {
  openai: { error: { message: "The server had an error", type: "server_error", code: null } },
  anthropic: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  gemini: { error: { code: 503, message: "The model is overloaded", status: "UNAVAILABLE" } },
  ollama: { error: "the model runner has stopped" },
};

const FRAMES: Record<WireFormat, (reply: ScriptedReply) => Frame[]> = {
  openai(reply) {
    const base = { id: "c1", object: "chat.completion.chunk" };
    const chunk = (delta: unknown, finish_reason: string | null = null) =>
      json({ ...base, choices: [{ index: 0, delta, finish_reason }] });
    const { calls = [] } = reply;
    const fragments = calls.map((call, at) => openaiFragments(call, at));
    return [
      chunk({ role: "assistant", content: "" }),
      ...piecesOf(reply.reasoning).map((reasoning_content) => chunk({ reasoning_content })),
      ...piecesOf(reply.text).map((content) => chunk({ content })),
      ...inTurn(fragments, reply.interleave === true).map((fragment) => chunk({ tool_calls: [fragment] })),
      ...(reply.finish === null ? [] : [chunk({}, reply.finish ?? (calls.length > 0 ? "tool_calls" : "stop"))]),
      ...(reply.usage === null ? [] : [json({ ...base, choices: [], usage: openaiUsage(reply) })]),
      { data: "[DONE]", last: true },
    ];
  },
  anthropic(reply) {
    const { prompt, completion, cached = 0 } = reply.usage ?? DEFAULT_USAGE;
    const usage = {
      input_tokens: prompt - cached,
      cache_read_input_tokens: cached,
      output_tokens: Math.min(1, completion),
    };
    const frames: Frame[] = [
      json({
        type: "message_start",
        message: { id: "msg_1", type: "message", role: "assistant", content: [], model: "scripted", usage },
      }, "message_start"),
      json({ type: "ping" }, "ping"),
    ];
    let index = 0;
    const block = (content_block: unknown, deltas: unknown[]) => {
      frames.push(json({ type: "content_block_start", index, content_block }, "content_block_start"));
      for (const delta of deltas) {
        frames.push(json({ type: "content_block_delta", index, delta }, "content_block_delta"));
      }
      frames.push(json({ type: "content_block_stop", index }, "content_block_stop"));
      index++;
    };
    const thoughts = piecesOf(reply.reasoning).map((thinking): unknown => ({ type: "thinking_delta", thinking }));
    if (thoughts.length > 0) {
      const signature = reply.reasoning_signature ?? "c2lnbmVk";
      block({ type: "thinking", thinking: "", signature: "" }, [...thoughts, { type: "signature_delta", signature }]);
    }
    const texts = piecesOf(reply.text).map((text) => ({ type: "text_delta", text }));
    if (texts.length > 0) block({ type: "text", text: "" }, texts);
    for (const [at, call] of (reply.calls ?? []).entries()) {
      block(
        { type: "tool_use", id: call.id ?? `toolu_${at}`, name: call.name, input: {} },
        argumentPieces(call.arguments).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      );
    }
    if (reply.finish !== null) {
      const stop_reason = reply.finish ?? ((reply.calls ?? []).length > 0 ? "tool_use" : "end_turn");
      frames.push(
        json({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: completion } }, "message_delta"),
      );
    }
    frames.push({ ...json({ type: "message_stop" }, "message_stop"), last: true });
    return frames;
  },
  gemini(reply) {
    const { prompt, completion, cached } = reply.usage ?? DEFAULT_USAGE;
    const chunk = (parts: unknown[], finish?: string) =>
      json({
        candidates: [{
          content: { role: "model", parts },
          index: 0,
          ...(finish !== undefined && { finishReason: finish }),
        }],
        ...(reply.usage !== null && {
          usageMetadata: {
            promptTokenCount: prompt,
            candidatesTokenCount: completion,
            totalTokenCount: prompt + completion,
            ...(cached !== undefined && { cachedContentTokenCount: cached }),
          },
        }),
        modelVersion: "scripted",
      });
    return [
      ...piecesOf(reply.reasoning).map((text) => chunk([{ text, thought: true }])),
      ...piecesOf(reply.text).map((text) => chunk([{ text }])),
      ...(reply.calls ?? []).map((call) => chunk([geminiCall(call)])),
      ...(reply.finish === null ? [] : [chunk([{ text: "" }], reply.finish ?? "STOP")]),
    ];
  },
  ollama(reply) {
    const base = { model: "scripted" };
    const line = (message: Record<string, unknown>) =>
      json({ ...base, message: { role: "assistant", content: "", ...message }, done: false });
    return [
      ...piecesOf(reply.reasoning).map((thinking) => line({ thinking })),
      ...piecesOf(reply.text).map((content) => line({ content })),
      ...(reply.calls ?? []).map((call) => line({ tool_calls: [ollamaCall(call)] })),
      ...(reply.finish === null ? [] : [json({ ...base, ...ollamaEnd(reply) })]),
    ];
  },
};

const WHOLE: Record<WireFormat, (reply: ScriptedReply) => unknown> = {
  openai: (reply) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "scripted",
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: piecesOf(reply.text).join("") || null,
        ...(reply.reasoning !== undefined && { reasoning_content: piecesOf(reply.reasoning).join("") }),
        ...(reply.calls && {
          tool_calls: reply.calls.map((call, at) => ({
            id: call.id ?? `call_${at}`,
            type: "function",
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
      },
      finish_reason: reply.finish ?? (reply.calls ? "tool_calls" : "stop"),
    }],
    usage: openaiUsage(reply),
  }),
  anthropic: (reply) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [
      ...(reply.reasoning === undefined ? [] : [{
        type: "thinking",
        thinking: piecesOf(reply.reasoning).join(""),
        signature: reply.reasoning_signature ?? "c2lnbmVk",
      }]),
      ...(reply.text === undefined ? [] : [{ type: "text", text: piecesOf(reply.text).join("") }]),
      ...(reply.calls ?? []).map((call, at) => ({
        type: "tool_use",
        id: call.id ?? `toolu_${at}`,
        name: call.name,
        input: JSON.parse(call.arguments || "{}"),
      })),
    ],
    stop_reason: reply.finish ?? (reply.calls ? "tool_use" : "end_turn"),
    usage: {
      input_tokens: (reply.usage ?? DEFAULT_USAGE).prompt,
      output_tokens: (reply.usage ?? DEFAULT_USAGE).completion,
    },
  }),
  gemini: (reply) => ({
    candidates: [{
      content: {
        role: "model",
        parts: [
          ...piecesOf(reply.reasoning).map((text) => ({ text, thought: true })),
          ...piecesOf(reply.text).map((text) => ({ text })),
          ...(reply.calls ?? []).map(geminiCall),
        ],
      },
      finishReason: reply.finish ?? "STOP",
    }],
    usageMetadata: {
      promptTokenCount: (reply.usage ?? DEFAULT_USAGE).prompt,
      candidatesTokenCount: (reply.usage ?? DEFAULT_USAGE).completion,
    },
  }),
  ollama: (reply) => ({
    model: "scripted",
    created_at: "2026-01-01T00:00:00Z",
    ...ollamaEnd(reply),
    message: {
      role: "assistant",
      content: piecesOf(reply.text).join(""),
      ...(reply.reasoning !== undefined && { thinking: piecesOf(reply.reasoning).join("") }),
      ...(reply.calls && { tool_calls: reply.calls.map(ollamaCall) }),
    },
  }),
};

function openaiUsage(reply: ScriptedReply): unknown {
  const { prompt, completion, cached } = reply.usage ?? DEFAULT_USAGE;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  };
}

function openaiFragments(call: ScriptedCall, at: number): unknown[] {
  const index = call.index === null ? {} : { index: call.index ?? at };
  return [
    {
      ...index,
      ...(call.id !== undefined && { id: call.id }),
      type: "function",
      function: { name: call.name, arguments: "" },
    },
    ...argumentPieces(call.arguments).filter((piece) => piece !== "").map((piece) => ({
      ...index,
      function: { arguments: piece },
    })),
  ];
}

function geminiCall(call: ScriptedCall): unknown {
  return {
    functionCall: { name: call.name, args: JSON.parse(call.arguments || "{}") },
    ...(call.signature !== undefined && { thoughtSignature: call.signature }),
  };
}

function ollamaCall(call: ScriptedCall): unknown {
  return {
    ...(call.id !== undefined && { id: call.id }),
    function: {
      ...(typeof call.index === "number" && { index: call.index }),
      name: call.name,
      arguments: JSON.parse(call.arguments || "{}"),
    },
  };
}

function ollamaEnd(reply: ScriptedReply): Record<string, unknown> {
  const { prompt, completion } = reply.usage ?? DEFAULT_USAGE;
  return {
    message: { role: "assistant", content: "" },
    done: true,
    done_reason: reply.finish ?? "stop",
    total_duration: 5_000_000,
    ...(reply.usage !== null && { prompt_eval_count: prompt, eval_count: completion }),
  };
}

function inTurn<T>(rows: T[][], interleave: boolean): T[] {
  if (!interleave) return rows.flat();
  const out: T[] = [];
  for (let at = 0; rows.some((row) => at < row.length); at++) {
    for (const row of rows) if (at < row.length) out.push(row[at]!);
  }
  return out;
}

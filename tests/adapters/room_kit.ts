import { type Log, silentLog } from "../../core/base/log.ts";
import type { CompletionDelta, CompletionOutcome, CompletionRequest, SourceSecrets } from "../../core/wire/llm.ts";
import { adapterScript, isBuiltinAdapter } from "../../adapters/catalog.ts";
import { SourceRoom } from "../../adapters/source_room.ts";
import { readLuaWasm } from "../../adapters/wasm.ts";
import type { LuaLimits } from "../../adapters/vm.ts";

const wasm = readLuaWasm();

/** A source for tests, at a scripted server. */
export function testSource(adapter: string, base_url: string, overrides: Partial<SourceSecrets> = {}): SourceSecrets {
  return {
    name: adapter,
    adapter,
    model: "m",
    priority: 0,
    context_window: 0,
    vision: true,
    audio: true,
    thinking: false,
    max_concurrent: 0,
    base_url,
    api_key: "sk-secret-of-the-test",
    script: isBuiltinAdapter(adapter) ? adapterScript(adapter) : "",
    timeout: 5000,
    idle_timeout: 2000,
    ...overrides,
  };
}

export function request(overrides: Partial<CompletionRequest> = {}): CompletionRequest {
  return {
    model: "",
    messages: [{ role: "user", content: "hi" }],
    temperature: 0.7,
    max_tokens: 1000,
    stream: true,
    ...overrides,
  };
}

export interface RoomOptions {
  limits?: LuaLimits;
  fetch?: typeof fetch;
  log?: Log;
}

/** A `fetch` whose answer's body comes in these pieces. */
export function piecewise(pieces: () => Uint8Array[], type: string): typeof fetch {
  return () =>
    Promise.resolve(
      new Response(
        new ReadableStream({
          start(controller) {
            for (const piece of pieces()) if (piece.length > 0) controller.enqueue(piece);
            controller.close();
          },
        }),
        { headers: { "content-type": type } },
      ),
    );
}

/** A room of sources in this thread; `ask` collects the deltas too. */
export class TestRoom implements AsyncDisposable {
  readonly room: SourceRoom;

  private constructor({ limits, fetch = globalThis.fetch, log = silentLog }: RoomOptions) {
    this.room = new SourceRoom({ log, fetch, ...(limits && { limits }) });
    this.room.setWasm(wasm);
  }

  static async with(sources: SourceSecrets[], options: RoomOptions = {}): Promise<TestRoom> {
    const room = new TestRoom(options);
    const problems = await room.room.configure(sources);
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    return room;
  }

  async ask(
    source: string,
    asked: CompletionRequest = request(),
    signal: AbortSignal = new AbortController().signal,
  ): Promise<{ outcome: CompletionOutcome; deltas: CompletionDelta[] }> {
    const deltas: CompletionDelta[] = [];
    const outcome = await this.room.complete(source, asked, { signal, onDelta: (delta) => deltas.push(delta) });
    return { outcome, deltas };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.room.close();
  }
}

/** The response of an outcome that must be an answer. */
export function answered(outcome: CompletionOutcome) {
  if (outcome.kind !== "answered") throw new Error(`failed: ${JSON.stringify(outcome.failure)}`);
  return outcome.response;
}

/** The failure of an outcome that must be one. */
export function failure(outcome: CompletionOutcome) {
  if (outcome.kind !== "failed") throw new Error(`answered: ${JSON.stringify(outcome.response)}`);
  return outcome.failure;
}

import { backoff } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { HomedError } from "../base/errors.ts";
import type { CompletionRequest, SourceFailure, SourceInfo } from "../wire/llm.ts";
import type { Completed, CompleteOptions, Completer, Provider } from "./provider.ts";

/** The pause after a source's first failure in a row, and the longest, in milliseconds. */
const PAUSE = { base: 2000, max: 300_000 };
/** No server's wish for a pause is heeded beyond this. */
const LONGEST_WISH = 24 * 3600_000;

export interface SourcesOptions {
  clock: Clock;
  /** Makes the provider of a configured source. */
  makeProvider: (info: SourceInfo) => Provider;
  /** Answers when no source is configured at all. */
  offline: Provider;
  random?: () => number;
}

/** A source as it stands: `paused` until a time, or `out` until its configuration changes. */
export interface SourceState {
  name: string;
  model: string;
  priority: number;
  state: "ready" | "paused" | "out";
  reason?: string;
  until?: number;
}

interface Entry {
  info: SourceInfo;
  provider: Provider;
  /** Failures in a row, for the growing pause. */
  failures: number;
  /** By the clock that only goes forward: setting the wall clock shortens or stretches no pause. */
  until: number;
  out: boolean;
  last: SourceFailure | undefined;
}

/** The configured sources in their order, and what is known of each. */
export class Sources implements Completer {
  readonly #options: SourcesOptions;
  #entries: Entry[] = [];
  #broken: { source: string; failure: SourceFailure }[] = [];
  #provider = "auto";
  #configured = "auto";

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** Takes the configured sources and `core.llm.provider`. What is known of a source is kept unless something of its
   * configuration changed. A switch made while running stands until the setting itself changes. `broken`: sources that
   * somebody set up and that cannot be asked; with nothing but these, the offline provider does not answer. */
  configure(sources: SourceInfo[], provider: string, broken: { source: string; message: string }[] = []): void {
    this.#broken = broken.map(({ source, message }) => ({ source, failure: { kind: "adapter", message } }));
    this.#entries = sources.map((info) => {
      const old = this.#entries.find((entry) => entry.info.name === info.name);
      if (old && fingerprint(old.info) === fingerprint(info)) return old;
      return {
        info,
        provider: this.#options.makeProvider(info),
        failures: 0,
        until: 0,
        out: false,
        last: undefined,
      };
    }).sort((a, b) => b.info.priority - a.info.priority || compare(a.info.name, b.info.name));
    if (provider !== this.#configured) this.#provider = provider;
    this.#configured = provider;
  }

  /** "auto", or the one source that is asked. */
  get current(): string {
    return this.#provider;
  }

  /** From now on asks this source alone, or with "auto" all in their order.
   * @throws {HomedError} `unknown_source` */
  switch(name: string): void {
    if (name !== "auto" && !this.#entries.some((entry) => entry.info.name === name)) throw this.#unknown(name);
    this.#provider = name;
  }

  list(): SourceState[] {
    const { clock } = this.#options;
    return this.#entries.map(({ info, out, until, last }) => {
      const wait = until - clock.monotonic();
      const state = out ? "out" as const : wait > 0 ? "paused" as const : "ready" as const;
      return {
        name: info.name,
        model: info.model,
        priority: info.priority,
        state,
        ...(last && { reason: last.message }),
        ...(state === "paused" && { until: clock.now() + wait }),
      };
    });
  }

  first(): SourceInfo {
    const entries = this.#candidates(undefined);
    const entry = entries.find((entry) => !this.#skip(entry)) ?? entries[0] ?? this.#entries[0];
    return entry?.info ?? this.#options.offline.info;
  }

  async complete(request: Omit<CompletionRequest, "model">, options: CompleteOptions): Promise<Completed> {
    const started = this.#options.clock.monotonic();
    const ms = () => this.#options.clock.monotonic() - started;
    if (this.#entries.length === 0 && this.#broken.length > 0) return { kind: "failed", failures: [...this.#broken] };
    if (this.#entries.length === 0) return await this.#askOffline(request, options, ms);
    const failures: { source: string; failure: SourceFailure }[] = [];
    const entries = this.#candidates(options.only);
    if (entries.length === 0) {
      const name = options.only ?? this.#provider;
      return {
        kind: "failed",
        failures: [{ source: name, failure: { kind: "refused", message: this.#unknown(name).message } }],
      };
    }
    for (const [at, entry] of entries.entries()) {
      const { name, model } = entry.info;
      const skipped = options.evenPaused ? undefined : this.#skip(entry);
      if (skipped) {
        failures.push({ source: name, failure: skipped });
        continue;
      }
      const outcome = await this.#ask(entry, request, options);
      if (outcome.kind === "answered") {
        return { ...outcome, source: name, model: options.model ?? model, ms: ms() };
      }
      const { failure, partial } = outcome;
      if (failure.kind === "cancelled") return { kind: "cancelled" };
      if (failure.kind === "context") {
        if (partial) options.onNotice?.({ text: failure.message, withdraws: true });
        return { kind: "context", source: name, window: entry.info.context_window, message: failure.message };
      }
      failures.push({ source: name, failure });
      const next = entries.slice(at + 1).find((entry) => !this.#skip(entry));
      const then = next ? `: asking ${next.info.name} · 改问 ${next.info.name}` : "";
      if (partial || next) options.onNotice?.({ text: `${failure.message}${then}`, withdraws: partial });
    }
    return { kind: "failed", failures };
  }

  /** Asks one source, and once more when its answer was cut off or stalled. */
  async #ask(entry: Entry, request: Omit<CompletionRequest, "model">, options: CompleteOptions) {
    const { info } = entry;
    const full: CompletionRequest = {
      ...request,
      model: options.model ?? info.model,
      thinking: request.thinking === true || info.thinking,
      ...(info.context_window > 0 && { context_window: info.context_window }),
    };
    for (let again = false;; again = true) {
      let partial = false;
      const outcome = await entry.provider.complete(full, {
        signal: options.signal,
        onDelta: (delta) => {
          partial = true;
          options.onDelta?.(delta);
        },
      });
      if (outcome.kind === "answered") {
        entry.failures = 0;
        entry.until = 0;
        entry.last = undefined;
        return outcome;
      }
      const { failure } = outcome;
      if (options.signal.aborted) return { kind: "failed" as const, failure: cancelled(info.name), partial };
      if (!again && brokenOff(failure)) {
        const text = `${failure.message}: asking it once more · 再问一次`;
        options.onNotice?.({ text, withdraws: partial });
        continue;
      }
      this.#remember(entry, failure);
      return { kind: "failed" as const, failure, partial };
    }
  }

  #remember(entry: Entry, failure: SourceFailure): void {
    switch (failure.kind) {
      case "cancelled":
      case "context":
        return;
      case "refused":
        entry.last = failure;
        return;
      case "auth":
        entry.out = true;
        entry.last = failure;
        return;
      case "rate":
      case "server":
      case "network":
      case "timeout":
      case "cut":
      case "adapter": {
        const { clock, random } = this.#options;
        const grown = backoff(entry.failures++, { ...PAUSE, ...(random && { random }) });
        const wish = failure.retry_after;
        entry.until = clock.monotonic() + (wish === undefined ? grown : Math.min(wish, LONGEST_WISH));
        entry.last = failure;
        return;
      }
      default:
        failure.kind satisfies never;
    }
  }

  /** Why a source is not asked now, as the failure that took it out. */
  #skip(entry: Entry): SourceFailure | undefined {
    const wait = entry.until - this.#options.clock.monotonic();
    const last = entry.last;
    if (!last) return undefined;
    if (entry.out) return { ...last, message: `${last.message}; it is not asked again until its settings change` };
    if (wait <= 0) return undefined;
    return { ...last, message: `${last.message}; it is asked again in ${Math.ceil(wait / 1000)} s`, retry_after: wait };
  }

  #candidates(only: string | undefined): Entry[] {
    const name = only ?? this.#provider;
    return name === "auto" ? this.#entries : this.#entries.filter((entry) => entry.info.name === name);
  }

  async #askOffline(
    request: Omit<CompletionRequest, "model">,
    options: CompleteOptions,
    ms: () => number,
  ): Promise<Completed> {
    const { offline } = this.#options;
    const { name, model } = offline.info;
    const outcome = await offline.complete({ ...request, model }, options);
    if (outcome.kind === "answered") return { ...outcome, source: name, model, ms: ms() };
    if (outcome.failure.kind === "cancelled") return { kind: "cancelled" };
    return { kind: "failed", failures: [{ source: name, failure: outcome.failure }] };
  }

  #unknown(name: string): HomedError {
    const names = this.#entries.map((entry) => entry.info.name).join(", ");
    return new HomedError("unknown_source", `There is no configured source "${name}": there are ${names || "none"}`, {
      fix: `set core.llm.sources.${name}.api_key, or choose one that is there`,
    });
  }
}

/** The connection ended, or fell silent, in the middle of an answer. */
function brokenOff(failure: SourceFailure): boolean {
  return failure.kind === "cut" || (failure.kind === "timeout" && failure.status === 200);
}

function cancelled(name: string): SourceFailure {
  return { kind: "cancelled", message: `The call of ${name} was cancelled` };
}

function fingerprint(info: SourceInfo): string {
  return JSON.stringify(Object.entries(info).sort(([a], [b]) => compare(a, b)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

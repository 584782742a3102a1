import { progressLog } from "../../base/progress.ts";
import { dirname } from "node:path";
import { backoff } from "../../base/backoff.ts";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Home } from "../home.ts";
import { download, recordOf } from "./download.ts";
import { type ModelPlace, modelPlaces } from "./places.ts";

/** How far a download is, for `status`. */
export interface DownloadState {
  name: string;
  bytes: number;
  total: number | null;
}

export interface ModelDownloadsOptions {
  home: Home;
  log: Log;
  /** For the person. Must not throw. */
  onNotice(text: string, level: "info" | "warn"): void;
  /** A model has come: the setting means more than before. Must not throw. */
  onHere(): void;
  fetch?: typeof fetch;
  /** Milliseconds before the first repetition. Default one minute. */
  pause?: number;
}

/** Downloads what `core.agent.embedding_model_path` names and is not here, one file after another; what cannot be had
 * is tried again after growing pauses, and until it is here memory finds by words. */
export class ModelDownloads {
  readonly #options: ModelDownloadsOptions;
  #setting = "";
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #state: DownloadState | undefined;

  constructor(options: ModelDownloadsOptions) {
    this.#options = options;
  }

  get state(): DownloadState | undefined {
    return this.#state;
  }

  /** Downloads what this setting names, and nothing else any more. */
  follow(setting: string): void {
    if (setting === this.#setting) return;
    this.#setting = setting;
    this.#stop.abort();
    const { signal } = this.#stop = new AbortController();
    const before = this.#running;
    this.#running = before.then(async () => {
      for (const place of modelPlaces(setting, this.#options.home)) {
        if (!place.isHere && place.files.length > 0 && !signal.aborted) await this.#bring(place, signal);
      }
    }).finally(() => this.#state = undefined);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #bring(place: ModelPlace, signal: AbortSignal): Promise<void> {
    const { onNotice, onHere, pause = 60_000 } = this.#options;
    const size = place.bytes === undefined ? "" : ` (about ${megabytes(place.bytes)})`;
    onNotice(`Downloading the embedding model ${place.title}${size}: until it is here memory finds by words`, "info");
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        for (const choices of place.files) await this.#first(choices, { place, signal });
        this.#state = undefined;
        onNotice(`The embedding model ${place.title} is here: memory uses it from now on`, "info");
        return onHere();
      } catch (error) {
        this.#state = undefined;
        if (signal.aborted) return;
        const wait = backoff(attempt, { base: pause, max: 60 * pause });
        const target = place.files.flat().at(-1)!.path;
        onNotice(
          `${messageOf(error)}: memory finds by words; it is tried again in ${Math.ceil(wait / 60_000)} minutes. ` +
            `Without a network, put the file at ${target} and say: homed config set core.agent.embedding_model_path ` +
            "with its path",
          "warn",
        );
        await sleep(wait, signal);
      }
    }
  }

  /** The first of some files that can be had. */
  async #first(
    choices: ModelPlace["files"][number],
    { place, signal }: { place: ModelPlace; signal: AbortSignal },
  ): Promise<void> {
    for (const [i, file] of choices.entries()) {
      if (recordOf(file.path)) return;
      try {
        Deno.mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
        const { fetch } = this.#options;
        const { progress, end } = this.#progress(place.title);
        const record = await download(file.url, file.path, { signal, progress, ...(fetch && { fetch }) }).finally(end);
        this.#options.log.info(`Downloaded ${file.url}: ${record.bytes} bytes, sha256 ${record.sha256}`);
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        const isMissing = /the server answered 40[0-9]/.test(messageOf(error));
        if (isMissing && file.optional) return;
        if (!isMissing || i === choices.length - 1) throw error;
      }
    }
  }

  /** Keeps the state, and tells of it (of a size that is not told, at every 100 MB). */
  #progress(name: string): { progress: (done: number, total: number | undefined) => void; end: () => void } {
    const tell = progressLog(this.#options.log, `Downloading ${name}`);
    let told = 0, isWhole = false;
    return {
      progress: (done, total) => {
        this.#state = { name, bytes: done, total: total ?? null };
        isWhole = done === total;
        if (total !== undefined) return tell(done / Math.max(1, total), `${megabytes(done)} of ${megabytes(total)}`);
        const step = Math.floor(done / 100_000_000);
        if (step > told) this.#options.log.info(`Downloading ${name}: ${megabytes(done)}`);
        told = step;
      },
      end: () => {
        if (!isWhole) tell(null, "broken off");
      },
    };
  }
}

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

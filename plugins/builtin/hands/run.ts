import type { HandsMethods, Ran } from "./methods.ts";

/** Milliseconds between the polite signal and the hard one. */
const GRACE = 2000;

/** Bytes of a stream: the first and the last halves of what may be kept, the middle dropped and counted. */
class Kept {
  readonly #half: number;
  #head: Uint8Array[] = [];
  #headSize = 0;
  #tail: Uint8Array[] = [];
  #tailSize = 0;
  dropped = 0;

  constructor(max: number) {
    this.#half = Math.max(1, Math.floor(max / 2));
  }

  push(chunk: Uint8Array): void {
    if (this.#headSize < this.#half) {
      const part = chunk.subarray(0, this.#half - this.#headSize);
      this.#head.push(part);
      this.#headSize += part.length;
      chunk = chunk.subarray(part.length);
    }
    if (chunk.length === 0) return;
    this.#tail.push(chunk);
    this.#tailSize += chunk.length;
    while (this.#tailSize - this.#tail[0]!.length >= this.#half) {
      const gone = this.#tail.shift()!;
      this.#tailSize -= gone.length;
      this.dropped += gone.length;
    }
  }

  text(): string {
    const decoder = new TextDecoder();
    const head = this.#head.map((part) => decoder.decode(part, { stream: true })).join("");
    if (this.dropped === 0) {
      return head + this.#tail.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
    }
    const rest = new TextDecoder();
    const tail = this.#tail.map((part) => rest.decode(part, { stream: true })).join("") + rest.decode();
    return `${head}${decoder.decode()}\n… ${this.dropped} bytes left out …\n${tail}`;
  }
}

/** Runs a program in a process group of its own, so that its end is the end of everything it started. */
export async function run(params: HandsMethods["cmd.run"]["params"], signal: AbortSignal): Promise<Ran> {
  const { argv, cwd, env, stdin, timeout, max_output } = params;
  const [command, ...args] = argv;
  const from = performance.now();
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(command!, {
      args,
      cwd,
      env,
      clearEnv: true,
      detached: true,
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`Cannot run "${command}": there is no such program, or no folder "${cwd}"`, { cause: error });
  }
  const group = Deno.build.os === "windows" ? child.pid : -child.pid;
  let timedOut = false, ended = false;
  let hard: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    if (ended) return;
    kill(group, "SIGTERM");
    hard ??= setTimeout(() => kill(group, "SIGKILL"), GRACE);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeout);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const stdout = new Kept(max_output), stderr = new Kept(max_output);
  // Grandchildren may hold the pipes open after the program is gone: its exit decides, not the end of its output.
  const reading = new AbortController();
  const read = async (stream: ReadableStream<Uint8Array>, into: Kept) => {
    try {
      await stream.pipeTo(new WritableStream({ write: (chunk) => into.push(chunk) }), { signal: reading.signal });
    } catch (error) {
      if (!reading.signal.aborted) throw error;
    }
  };
  const read_both = Promise.all([read(child.stdout, stdout), read(child.stderr, stderr)]);
  if (stdin !== undefined) void feed(child.stdin, stdin);
  try {
    const status = await child.status;
    ended = true;
    const late = setTimeout(() => reading.abort(), 200);
    await read_both;
    clearTimeout(late);
    return {
      code: status.signal ? null : status.code,
      signal: status.signal,
      stdout: stdout.text(),
      stderr: stderr.text(),
      dropped: stdout.dropped + stderr.dropped,
      timed_out: timedOut,
      ms: Math.round(performance.now() - from),
    };
  } finally {
    clearTimeout(timer);
    clearTimeout(hard);
    signal.removeEventListener("abort", end);
    // Whatever it left in its group ends with it.
    if (group < 0) kill(group, "SIGKILL");
  }
}

async function feed(stream: WritableStream<Uint8Array>, text: string): Promise<void> {
  try {
    const writer = stream.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // the program ended without reading all of it: its own affair
  }
}

function kill(group: number, signal: Deno.Signal): void {
  try {
    Deno.kill(group, signal);
  } catch (error) {
    // Gone already: on Linux ESRCH comes as NotFound, elsewhere as a TypeError.
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) throw error;
  }
}

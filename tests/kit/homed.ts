/** homed from the outside: the compiled executable that `HOMED_BIN` names, else the program from source. Everything here
 * goes through its command line and its socket. @module */
import { Peer } from "../../core/wire/peer.ts";
import { ndjsonTransport } from "../../core/wire/transport.ts";

const MAIN = decodeURIComponent(new URL("../../main.ts", import.meta.url).pathname);

/** The command and its first arguments. */
export const HOMED: readonly string[] = Deno.env.get("HOMED_BIN")
  ? [Deno.env.get("HOMED_BIN")!]
  : [Deno.execPath(), "run", "-A", "--no-prompt", MAIN];

/** Variables that would lead a test to a real source or home, or that a test says for itself. */
const FOREIGN = /^(HOMED_|NO_COLOR$|FORCE_COLOR$|.*_API_KEY$|GITHUB_TOKEN$|OLLAMA_)/;

export interface RunOptions {
  home: string;
  env?: Record<string, string>;
  stdin?: string;
  /** Milliseconds until it is killed; 60 s by default. */
  timeout?: number;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** What homed is run with: this process's variables without what leads to a real source or home. */
export function environment(options: Pick<RunOptions, "env">): Record<string, string> {
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !FOREIGN.test(name));
  // No Ollama of this machine is found by itself, and texts are English unless a test says otherwise.
  return {
    ...Object.fromEntries(inherited),
    LANG: "C.UTF-8",
    HOMED_CORE__LLM__SOURCES__OLLAMA__ENABLED: "false",
    ...options.env,
  };
}

/** Runs one command to its end. */
export async function homed(args: string[], options: RunOptions): Promise<Ran> {
  const [command, ...first] = HOMED;
  const child = new Deno.Command(command!, {
    args: [...first, "--home", options.home, ...args],
    env: environment(options),
    clearEnv: true,
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), options.timeout ?? 60_000);
  try {
    if (options.stdin !== undefined) {
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(options.stdin));
      await writer.close();
    }
    const { code, stdout, stderr } = await child.output();
    return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
  } finally {
    clearTimeout(timer);
  }
}

/** Any method of the socket: tests call what they like. */
// deno-lint-ignore no-explicit-any
export type AnyMethods = Record<string, { params: any; result: any }>;

export interface Client extends AsyncDisposable {
  peer: Peer<AnyMethods>;
}

/** Joins the daemon of `home` over its socket. `onNote` gets notifications that belong to no call. */
export async function connect(home: string, onNote: Record<string, (params: unknown) => void> = {}): Promise<Client> {
  const socket = await Deno.connect({ transport: "unix", path: `${home}/run/homed.sock` });
  const peer = new Peer<AnyMethods>(ndjsonTransport(socket, { maxBytes: 64 << 20 }), { name: "homed" }).serve(onNote)
    .open();
  return {
    peer,
    async [Symbol.asyncDispose]() {
      peer.close();
      await peer.closed;
      // The transport closes both halves of the stream; let that happen before the test's resources are counted.
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}

export interface Daemon extends AsyncDisposable {
  pid: number;
  home: string;
  /** What it printed so far. */
  output(): string;
  kill(signal?: Deno.Signal): void;
  exited: Promise<Deno.CommandStatus>;
}

/** Starts `homed serve` and waits until it says that it is ready. Disposing stops it. */
export async function serve(options: RunOptions & { args?: string[] }): Promise<Daemon> {
  const [command, ...first] = HOMED;
  const child = new Deno.Command(command!, {
    args: [...first, "--home", options.home, "serve", ...(options.args ?? [])],
    env: environment(options),
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "", gone = false;
  const ready = Promise.withResolvers<void>();
  const follow = async (stream: ReadableStream<Uint8Array>) => {
    for await (
      const text of stream.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    ) {
      output += text;
      if (output.includes("homed ready")) ready.resolve();
    }
  };
  const followed = Promise.all([follow(child.stdout), follow(child.stderr)]);
  const exited = child.status.then(async (status) => {
    gone = true;
    await followed;
    ready.reject(new Error(`homed serve ended with ${status.code} before it was ready:\n${output}`));
    return status;
  });
  ready.promise.catch(() => {});
  const kill = (signal: Deno.Signal = "SIGTERM") => {
    if (!gone) child.kill(signal);
  };
  const timer = setTimeout(() => {
    ready.reject(new Error(`homed serve was not ready in time:\n${output}`));
    kill("SIGKILL");
  }, options.timeout ?? 60_000);
  try {
    await ready.promise;
  } finally {
    clearTimeout(timer);
  }
  return {
    pid: child.pid,
    home: options.home,
    output: () => output,
    kill,
    exited,
    async [Symbol.asyncDispose]() {
      kill("SIGTERM");
      const hard = setTimeout(() => kill("SIGKILL"), 15_000);
      await exited;
      clearTimeout(hard);
    },
  };
}

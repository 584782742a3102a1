import { basename, resolve } from "node:path";
import { HomedError } from "../base/errors.ts";
import { reasonOf } from "../base/system_error.ts";
import type { ChatEvent, MediaInput } from "../wire/chat.ts";
import type { OwnerClient } from "../wire/owner.ts";
import { questionIn } from "./chinese.ts";
import { converse } from "./converse.ts";
import { EXIT, UsageError } from "./failure.ts";
import { mimeOf } from "../base/mime.ts";
import { withHomed } from "./session.ts";
import type { VerbCall } from "./verb.ts";
import { isYes } from "./yes.ts";

/** Bytes of all attached files together: what fits in one line of the socket, in base64. */
const MAX_ATTACHED = 5 * 1024 * 1024;

export async function run(call: VerbCall): Promise<number> {
  const { words, io } = call;
  const attached = call.values("--attach").map((file) => readMedia(resolve(io.cwd(), file)));
  const size = attached.reduce((sum, { data }) => sum + data.length * 0.75, 0);
  if (size > MAX_ATTACHED) {
    throw new HomedError("attach", `The attached files have ${Math.round(size / 1e6)} MB`, {
      fix: "attach at most 5 MB to one message",
    });
  }
  if (words.length === 0 && io.inputIsTerminal && attached.length === 0 && !call.json && !call.flag("--interrupt")) {
    return await converse(call);
  }
  const text = words.length > 0 ? words.join(" ") : (await io.readInput()).trimEnd();
  if (text.trim() === "" && attached.length === 0) {
    throw new UsageError("There is nothing to say", 'homed chat "a text", or a text on stdin');
  }
  return await withHomed(call, (client) => say(call, client, { text: text || "(attached)", media: attached }));
}

async function say(
  call: VerbCall,
  client: OwnerClient,
  message: { text: string; media: MediaInput[] },
): Promise<number> {
  const { io } = call;
  if (call.flag("--interrupt") && (await client.call("status", {})).kernel.busy) {
    const { turn } = await client.call("chat.interrupt", { text: message.text });
    if (call.json) io.write(JSON.stringify({ type: "interrupt", turn, text: message.text }) + "\n");
    return EXIT.done;
  }
  let turn: string | undefined;
  let replied: ChatEvent | undefined;
  // Told with the reply. A failure is one line, which names them all.
  const notices: string[] = [];
  const onEvent = (event: ChatEvent) => {
    turn = event.turn;
    if (event.type === "approval") void answer(call, client, event);
    if (call.json && event.type === "reply") replied = event;
    else if (call.json) io.write(JSON.stringify(withoutRequest(event)) + "\n");
    else if (event.type === "notice") notices.push(event.text);
  };
  using _interrupts = onInterrupt(() => {
    if (turn !== undefined) void client.call("chat.cancel", { turn }).catch(() => {});
  });
  const reply = await client.call("chat.send", {
    text: message.text,
    ...(message.media.length > 0 && { media: message.media }),
    ...(call.flag("--no-memory") && { no_memory: true }),
  }, { onEvent: (method, params) => method === "chat.event" && onEvent(params as unknown as ChatEvent) });
  for (const notice of notices) io.writeError(notice + "\n");
  const { reply: text, ...rest } = reply;
  if (call.json) {
    io.write(JSON.stringify({ ...(replied && withoutRequest(replied)), type: "reply", ...rest, text }) + "\n");
  } else io.write(text.endsWith("\n") ? text : text + "\n");
  return EXIT.done;
}

/** Whether a tool may act is asked at the terminal. With nobody there, the answer is no. */
async function answer(call: VerbCall, client: OwnerClient, event: ChatEvent & { type: "approval" }): Promise<void> {
  const { io, language } = call;
  const what = `${event.tool} ${JSON.stringify(event.args)}`.replace(/\p{Cc}/gu, " ");
  let allow = false;
  if (io.inputIsTerminal) {
    if (event.detail !== undefined) {
      io.writeError(questionIn(event.detail, language).replace(/(?!\n)\p{Cc}/gu, " ") + "\n");
    }
    const question = language === "zh" ? `允许执行 ${what} 吗？[y/N] ` : `May it run ${what}? [y/N] `;
    allow = isYes(io.ask(question));
  } else {
    io.writeError(
      language === "zh"
        ? `homed: 没有允许 ${event.tool} 执行：无人可以同意\n`
        : `homed: ${event.tool} was not allowed to run: nobody is there to say yes\n`,
    );
  }
  await client.call("approval.answer", { id: event.id, allow }).catch(() => {
    // It expired meanwhile, or the turn was cancelled.
  });
}

/** The first Ctrl-C interrupts the model, the second leaves. */
function onInterrupt(first: () => void): Disposable {
  let count = 0;
  const listener = () => {
    if (++count > 1) Deno.exit(130);
    first();
  };
  Deno.addSignalListener("SIGINT", listener);
  return { [Symbol.dispose]: () => Deno.removeSignalListener("SIGINT", listener) };
}

const withoutRequest = ({ request: _request, ...event }: ChatEvent) => event;

function readMedia(path: string): MediaInput {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    // A pipe with nobody at its other end would be waited for without end.
    const { isFile, isDirectory } = Deno.statSync(path);
    if (!isFile && !isDirectory) throw new Error("it is no file");
    bytes = Deno.readFileSync(path);
  } catch (error) {
    throw new HomedError("attach", `Cannot attach ${path}: ${reasonOf(error)}`, {
      fix: "name a file that you can read",
    });
  }
  const mime = mimeOf(bytes);
  if (!mime) {
    throw new HomedError("attach", `Cannot attach ${path}: it is neither an image nor audio that homed knows`, {
      fix: "attach PNG, JPEG, GIF, WebP, WAV, MP3, OGG, FLAC or M4A",
    });
  }
  return { mime, data: bytes.toBase64(), name: basename(path) };
}

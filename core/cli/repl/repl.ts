import { Conversation } from "./conversation.ts";
import { failureLines } from "./failure.ts";
import { History } from "./history.ts";
import type { ReplIo } from "./io.ts";
import { KeyDecoder } from "./keys.ts";
import { LineDisplay } from "./line_display.ts";
import { LineReader } from "./line_reader.ts";
import { LiveDisplay, PROMPT } from "./live_display.ts";
import type { ReplSession } from "./session.ts";
import { line } from "./spans.ts";
import { type Texts, textsFor } from "./texts.ts";
import { visibleLine } from "./visible.ts";
import { graphemes } from "./width.ts";

/** A lone Escape is told from the head of a sequence by what follows within this. */
const ESCAPE_MS = 50;
/** The exit status of a process that was asked to end: 128 and SIGTERM. */
const TERMINATED = 143;

/** Runs the REPL until the person leaves, the input ends or the agent goes. Returns the exit status: 0; in a pipe that of
 * the last message that failed (3: no LLM source answered); 1 when the agent went away. */
export async function runRepl(session: ReplSession, io: ReplIo): Promise<number> {
  const texts = textsFor(io.lang);
  if (io.inputIsTerminal && io.outputIsTerminal && (io.env.TERM ?? "dumb") !== "dumb") {
    return await runLive(session, io, texts);
  }
  return await runLines(session, io, texts);
}

async function runLive(session: ReplSession, io: ReplIo, texts: Texts): Promise<number> {
  const history = new History(io.history);
  const display = new LiveDisplay(io, { texts, history, plain: Boolean(io.env.NO_COLOR) });
  const left = Promise.withResolvers<number>();
  const leave = () => left.resolve(0);
  const conversation = new Conversation({ session, display, io, texts, leave });
  const historyFailed = (error: unknown) => display.note(...failureLines(error, texts));
  await history.load().catch(historyFailed);
  const reader = io.stdin.getReader();
  // The session is closed after us, too.
  let over = false;
  const interrupt = () => {
    if (conversation.interrupt() === "leave") leave();
  };
  // A terminal left in raw mode is of no use to anyone: signals leave like keys do.
  const endSignals = [io.onInterrupt(interrupt), io.onTerminate(() => left.resolve(TERMINATED))];
  display.start({
    submit: (text) => {
      history.add(text).catch(historyFailed);
      void conversation.submit(text);
    },
    interrupt,
    leave,
    complete: () => void complete(conversation, display),
  });
  try {
    void session.closed.then((reason) => {
      if (over) return;
      display.note(line(texts("goneAway", { reason: visibleLine(reason) }), { color: "red" }));
      left.resolve(1);
    });
    void readKeys(reader, display, io).then(leave, left.reject);
    await Promise.race([conversation.welcome(), left.promise]);
    return await left.promise;
  } finally {
    over = true;
    for (const end of endSignals) end();
    display.stop();
    await reader.cancel();
  }
}

async function readKeys(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  display: LiveDisplay,
  io: ReplIo,
): Promise<void> {
  const decoder = new KeyDecoder();
  let pause: AbortController | undefined;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    pause?.abort();
    display.feed(decoder.push(chunk.value));
    if (!decoder.pending) continue;
    pause = new AbortController();
    io.clock.sleep(ESCAPE_MS, { signal: pause.signal }).then(
      () => display.feed(decoder.flush()),
      () => {}, // The rest of the sequence came.
    );
  }
  pause?.abort();
}

/** Tab: puts in what all candidates begin with, and lists them when that is nothing. */
async function complete(conversation: Conversation, display: LiveDisplay): Promise<void> {
  const { editor } = display;
  const { text, cursor } = editor;
  const { from, candidates } = await conversation.complete(text.slice(0, cursor));
  if (editor.text !== text || editor.cursor !== cursor || candidates.length === 0) return;
  const common = commonStart(candidates);
  const typed = cursor - from;
  editor.insert(common.slice(typed) + (candidates.length === 1 ? " " : ""));
  display.menu(candidates.length > 1 && common.length === typed ? candidates.map(visibleLine) : []);
}

function commonStart(texts: readonly string[]): string {
  let common = texts[0]!;
  for (const text of texts) {
    while (!text.startsWith(common)) common = graphemes(common).slice(0, -1).join("");
  }
  return common;
}

/** A dumb terminal, or a pipe: each line is a message. In a terminal a line typed while a turn runs goes into that turn;
 * a pipe has one turn after another, until its end. */
async function runLines(session: ReplSession, io: ReplIo, texts: Texts): Promise<number> {
  const lines = new LineReader(io.stdin);
  const display = new LineDisplay(io, () => lines.answer());
  let over = false;
  const left = Promise.withResolvers<number>();
  const conversation = new Conversation({
    session,
    display,
    io,
    texts,
    leave: () => left.resolve(conversation.status),
  });
  const prompt = () => {
    if (display.kind === "lines") io.write(PROMPT);
  };
  const endInterrupt = io.onInterrupt(() => {
    if (display.kind === "lines") io.write("\n");
    if (lines.stopAsking()) return;
    if (conversation.interrupt() === "leave") left.resolve(0);
    else if (!conversation.busy) prompt();
  });
  const endTerminate = io.onTerminate(() => left.resolve(TERMINATED));
  const converse = async (): Promise<number> => {
    if (display.kind === "lines") await conversation.welcome();
    let running: Promise<void> = Promise.resolve();
    prompt();
    for (let text = await lines.next(); text !== null && !conversation.leaving; text = await lines.next()) {
      const submitted = conversation.submit(text).then(() => {
        if (!conversation.busy && !conversation.leaving) prompt();
      });
      running = Promise.all([running, submitted]).then(() => {});
      if (display.kind === "pipe") await submitted;
    }
    await running;
    return display.kind === "lines" ? 0 : conversation.status;
  };
  try {
    void session.closed.then((reason) => {
      if (over) return;
      display.note(line(texts("goneAway", { reason: visibleLine(reason) })));
      left.resolve(conversation.status || 1);
    });
    return await Promise.race([converse(), left.promise]);
  } finally {
    over = true;
    endInterrupt();
    endTerminate();
    await lines.cancel();
  }
}

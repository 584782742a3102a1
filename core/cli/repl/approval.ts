import type { Clock } from "../../base/clock.ts";
import type { Display } from "./display.ts";
import { failureLines } from "./failure.ts";
import type { ReplSession, SessionEvent } from "./session.ts";
import { type Line, line } from "./spans.ts";
import type { Texts } from "./texts.ts";
import { visible, visibleLine } from "./visible.ts";

const MAX_ARG_LINES = 16;

export type ApprovalEvent = SessionEvent & { type: "approval" };

const YES = ["y", "yes", "是", "好", "允许"];
const NO = ["n", "no", "否", "不", "拒绝"];
const ALWAYS = ["a", "always", "总是"];

/** Asks the person whether a tool may act. A whole line is wanted, so that someone who was typing a message when the
 * question came does not answer it with a letter of a word. Not answered until it expires, or until `over` (the turn has
 * ended), is denied. Returns `stopped` when the person pressed Ctrl-C instead: then the turn should end. */
export async function askApproval(event: ApprovalEvent, context: {
  session: ReplSession;
  display: Display;
  texts: Texts;
  clock: Clock;
  over: AbortSignal;
}): Promise<"answered" | "stopped"> {
  const { session, display, texts, clock, over } = context;
  display.note(
    line(texts("approvalTitle", { tool: visibleLine(event.tool) }), { bold: true }),
    ...argLines(event.args),
    ...detailLines(event.detail && texts.asked(event.detail)),
  );
  const expired = new AbortController();
  const answered = new AbortController();
  const waiting = AbortSignal.any([answered.signal, over]);
  const timer = clock.sleep(Math.max(0, event.expires - clock.now()), { signal: waiting }).then(
    () => expired.abort(),
    () => {}, // Answered or over before it expired.
  );
  const signal = AbortSignal.any([expired.signal, over]);
  const answer = display.kind === "pipe" ? "nobody" : await askLine(display, texts, signal);
  answered.abort();
  await timer;
  if (over.aborted) return "answered";
  const said = {
    nobody: "approvalNobody",
    yes: "approvalAllowed",
    no: "approvalDenied",
    always: "approvalAlways",
    stop: expired.signal.aborted ? "approvalTimedOut" : "approvalDenied",
  } as const;
  try {
    const allow = answer === "yes" || answer === "always";
    const { known } = await session.answerApproval({
      id: event.id,
      allow,
      ...(answer === "always" && { always: true }),
    });
    const late = !known && !expired.signal.aborted;
    display.note(line(texts(late ? "approvalLate" : said[answer]), { dim: true }));
  } catch (error) {
    display.note(...failureLines(error, texts, "notDelivered"));
  }
  return answer === "stop" && !expired.signal.aborted ? "stopped" : "answered";
}

async function askLine(display: Display, texts: Texts, signal: AbortSignal): Promise<"yes" | "no" | "always" | "stop"> {
  for (;;) {
    const answer = await display.ask({ prompt: texts("approvalAsk"), signal });
    if (answer === null) return "stop";
    const word = answer.trim().toLowerCase();
    if (YES.includes(word)) return "yes";
    if (NO.includes(word)) return "no";
    if (ALWAYS.includes(word)) return "always";
    display.note(line(texts("approvalAgain")));
  }
}

function detailLines(detail: string | undefined): Line[] {
  return detail === undefined ? [] : visible(detail).split("\n").map((text) => line(text));
}

function argLines(args: unknown): Line[] {
  const rows = visible(JSON.stringify(args, null, 2) ?? "").split("\n");
  const shown = rows.length > MAX_ARG_LINES
    ? [...rows.slice(0, MAX_ARG_LINES), `… +${rows.length - MAX_ARG_LINES}`]
    : rows;
  return shown.map((text) => ({ spans: [{ text: `  ${text}`, look: { color: "yellow" } }], hang: 4, hard: true }));
}

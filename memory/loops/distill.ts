import { similarity } from "../embedders/embedder.ts";
import { type Memory, textForVector } from "../memory.ts";

/** This many last events stay whatever their score. */
const PROTECTED = 10;
/** Terminal output is no memory: it only leaves. */
const DROPPED = new Set(["agentcli", "terminal"]);

/** Prunes the context to its size, as the kernel does at every turn: this is for a window that is too large while nobody
 * talks (the size was lowered, an older version left more). The kernel is told which events left. */
export async function distillContext(memory: Memory): Promise<number> {
  const { settings, context, flow, gate, ports } = memory;
  if (context.size <= Math.max(settings.max_context_size, PROTECTED)) return 0;
  const events = await memory.load();
  const candidates = events.slice(0, -PROTECTED);
  const query = events.findLast((event) => textForVector(event) !== "")?.vector;
  const leaving = candidates
    .map((event, i) => ({ event, i, score: query && event.vector ? similarity(query, event.vector) : 0 }))
    .sort((a, b) => a.score - b.score || a.i - b.i)
    .slice(0, events.length - Math.max(settings.max_context_size, PROTECTED))
    .map(({ event }) => event);
  const ids = leaving.filter((event) => !DROPPED.has(event.source)).map((event) => event.id);
  const drop = leaving.filter((event) => DROPPED.has(event.source)).map((event) => event.id);
  await gate.exclusive(() => flow.archive(ids, drop));
  ports.left([...ids, ...drop]);
  return leaving.length;
}

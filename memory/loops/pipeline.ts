import { extractFacts } from "../../core/base/facts/mod.ts";
import type { TextRecord } from "../../core/wire/memory.ts";
import type { Fact } from "../graph/graph.ts";
import type { LoopState } from "../heartbeat.ts";
import type { Memory } from "../memory.ts";

/** Records between two durable points. */
const BATCH = 200;
/** As long as the turn of a message takes at most, in milliseconds. */
const TURN = 10 * 60_000;
/** A longer message is pasted, not said. */
const LONGEST = 20_000;

/** Reads on in the text log and commits what people said about themselves, by rules. What is older than the retention is
 * passed over, and files of it that were read are removed. */
export async function distillTextLog(memory: Memory, state: LoopState): Promise<number> {
  const { text, settings, ports, graph, gate, recall } = memory;
  const oldest = settings.pipeline_retention > 0 ? ports.clock.now() - settings.pipeline_retention : -Infinity;
  let committed = 0;
  for (let more = true; more;) {
    // Read and learned in one go: what is forgotten in between is not learned again.
    more = await gate.shared(() => {
      const facts: Fact[] = [];
      let read = 0, cursor = state.cursor;
      for (const { record, next } of text.read(state.cursor)) {
        cursor = next;
        if (isOwn(record) && record.at >= oldest) {
          facts.push(...factsOf(record, `text ${next.file} ${next.offset}`).filter((fact) => !isLearned(fact, graph)));
        }
        if (++read >= BATCH) break;
      }
      if (facts.length > 0) {
        committed += graph.commit(facts, { source: "pipeline" }).committed;
        recall.sync();
      }
      // A kill before this is written reads the same records again: the facts' ids make that nothing.
      if (read > 0) graph.note("text_cursor", cursor);
      state.cursor = cursor;
      return read >= BATCH;
    });
    if (more) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const expired = settings.pipeline_retention > 0 ? await gate.exclusive(() => text.expire(oldest, state.cursor)) : 0;
  return committed + expired;
}

/** What the owner said themselves, in this conversation: not recalled text, not a stranger's, not what was to be kept
 * out of memory. */
function isOwn({ role, untrusted, no_memory, text }: TextRecord): boolean {
  return role === "user" && !untrusted && !no_memory && text.length <= LONGEST;
}

/** What was learned as it was said, with whom it meant and what it ended, is not learned again by its words alone. */
function isLearned({ sentence, at = 0 }: Fact, graph: Memory["graph"]): boolean {
  const learned = sentence === undefined ? undefined : graph.learnedFrom(sentence);
  return learned !== undefined && learned.source !== "pipeline" && learned.at >= at && learned.at < at + TURN;
}

function factsOf(record: TextRecord, id: string): Fact[] {
  return extractFacts(record.text).map((fact, i) => ({
    id: `${id} ${i}`,
    at: record.at,
    subject: fact.subject,
    predicate: fact.predicate,
    object: fact.object,
    confidence: fact.confidence,
    sentence: fact.sentence,
    ...(fact.subject_type !== undefined && { subject_type: fact.subject_type }),
    ...(fact.object_type !== undefined && { object_type: fact.object_type }),
  }));
}

import type { Clock } from "../core/base/clock.ts";
import { lexicon } from "./words/lexicon.ts";

/** Milliseconds between two steps, for other work. */
const PAUSE = 3;

let isPrepared = false;

/** Makes ready, bit by bit, what the first question would have to wait for: the lexicon, and with a question for nobody
 * (`ask`, which must not throw) prepared statements and tables. Once a process; later calls do nothing. */
export async function prepareRecall(ask: () => Promise<void>, clock: Clock): Promise<void> {
  if (isPrepared) return;
  isPrepared = true;
  const steps = lexicon().prepare();
  do await clock.sleep(PAUSE); while (!steps.next().done);
  await ask();
}

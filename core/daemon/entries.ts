import type { PartEntries } from "./parts.ts";

/** The workers' modules. The literals are what `compile.ts` embeds. */
export const PART_ENTRIES: PartEntries = {
  kernel: new URL("../kernel/worker.ts", import.meta.url),
  memory: new URL("../../memory/worker.ts", import.meta.url),
  lua: new URL("../../adapters/worker.ts", import.meta.url),
};

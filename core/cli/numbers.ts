import { UsageError } from "./failure.ts";
import type { VerbCall } from "./verb.ts";

/** The count that an option gives; undefined without it.
 * @throws {UsageError} when it is none */
export function countOf(call: VerbCall, option: string): number | undefined {
  const text = call.value(option);
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new UsageError(`"${text}" is no count`, `${option} takes a whole number from 1 to 1000`);
}

import type { Unit } from "../index/search_index.ts";
import { nameKey } from "../words/fold.ts";
import type { Relation } from "./rows.ts";

/** A relation as recall finds it: `subject predicate object. sentence`. */
export function relationUnit(relation: Relation): Unit {
  const { id, subject, predicate, attribute, object, sentence, learned, from, until, source } = relation;
  return {
    kind: "relation",
    id,
    text: `${subject} ${predicate} ${object}.${sentence ? ` ${sentence}` : ""}`,
    at: learned,
    since: from,
    subject: nameKey(subject),
    attribute,
    object: nameKey(object),
    ...(until !== undefined && { until }),
    ...(source !== "" && { source }),
  };
}

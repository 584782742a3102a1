import type { Predicate } from "../../base/predicates.ts";
import type { Asked } from "./ask.ts";
import { type Found, told, type Verdict } from "./found.ts";
import { isNewer } from "./meant.ts";
import type { Relation } from "./recalled.ts";
import { idOf, says } from "./says.ts";
import { isThing } from "./subject.ts";
import { contentWords, coverage, plain } from "./words.ts";

/** Relations that say what someone does not do. */
const NEGATIVE = new Set(["dislikes", "allergic_to"]);

/** The answer where the question names the value itself: "do I like olives?", "can Theo eat nuts?". */
export function yesOrNo(relations: readonly Relation[], asked: Asked, names: Set<string>): Found | undefined {
  const isSubject = (relation: Relation) => {
    const subject = plain(relation.subject);
    return asked.about.kind === "thing" ? isThing(relation.subject, asked) : names.has(subject);
  };
  const named = relations.filter((relation) => isSubject(relation) && isNamed(relation, asked));
  const asksNegative = asked.attributes.some(({ id }) => NEGATIVE.has(id));
  const fits = (relation: Relation) => {
    const id = idOf(relation.predicate) ?? "";
    if (NEGATIVE.has(id)) {
      return asksNegative
        ? asked.attributes.some((attribute) => says(relation, attribute))
        : asked.attributes.length === 0 || asked.attributes.some((each) => CONTRARY.has(each.id));
    }
    return asked.attributes.length === 0 || asked.attributes.some((attribute) => says(relation, attribute)) ||
      asked.attributes.every((each) => LOOSE.has(each.id)) && !asksNegative;
  };
  const fitting = named.filter(fits);
  const current = fitting.filter((relation) => relation.current);
  const best = newestEach(current.length > 0 ? current : fitting);
  if (best.length === 0) return undefined;
  const verdict = current.length === 0
    ? "former"
    : !asksNegative && NEGATIVE.has(idOf(best.at(-1)!.predicate) ?? "")
    ? "no"
    : "yes";
  const said = verdict === "no" ? best.filter((each) => NEGATIVE.has(idOf(each.predicate) ?? "")) : best;
  return told(said, verdict);
}

/** What a dislike or an allergy is the contrary of, and verbs that say as little as "can". */
const CONTRARY = new Set(["likes", "skill", "hobby", "diet", "owns", "favourite"]);
const LOOSE = new Set(["status", "name", "skill", "diet", "job"]);

/** Of the same value liked and disliked, what was told last comes last. */
const newestEach = (relations: Relation[]) => relations.toSorted((a, b) => isNewer(a, b) ? 1 : -1);

/** What other values say to a question that named none of them. */
export function verdictOf(found: Relation[], asked: Asked, attribute: Predicate | undefined): Verdict | undefined {
  if (asked.words.length === 0) return "yes";
  if (found.every((relation) => isNamed(relation, asked))) return "yes";
  return attribute?.single && !SEVERAL_TRUE.has(attribute.id) ? "no" : "unsaid";
}

/** Single-valued in the table, yet another value does not make it wrong. */
const SEVERAL_TRUE = new Set(["status", "model", "owner", "reason", "supplier", "event", "job"]);

/** Whether the question itself says the relation's object. */
function isNamed(relation: Relation, asked: Asked): boolean {
  const words = contentWords(relation.object);
  return words.length > 0 && coverage(words, asked.question) >= 0.6 ||
    asked.words.length > 0 && coverage(asked.words, relation.object) === 1 ||
    relation.object.length > 1 && /\p{Script=Han}/u.test(relation.object) &&
      plain(asked.question).includes(plain(relation.object)) ||
    /^\p{Script=Han}$/u.test(relation.object) && asked.question.includes(relation.object);
}

import { canonicalPredicate, type Predicate, withBroader } from "../../base/predicates.ts";
import type { Relation } from "./recalled.ts";
import { plain } from "./words.ts";

export const idOf = (predicate: string) => canonicalPredicate(predicate)?.id;

const IP = /\b(?:\d{1,3}\.){3}\d{1,3}\b|^[0-9a-f]*(?::[0-9a-f]*){3,}$/i;

/** Relations that answer for another one when their value looks like it: where a machine is on the network is its
 * address, and so is a street where somebody lives. */
const ALSO: Record<string, readonly { id: string; shaped?: RegExp }[]> = {
  address: [{ id: "ip" }, { id: "lives_in", shaped: /\d/ }, { id: "url" }, { id: "located_in", shaped: IP }],
  ip: [{ id: "address", shaped: IP }, { id: "located_in", shaped: IP }],
  lives_in: [{ id: "address" }, { id: "located_in" }],
  major: [{ id: "hobby" }],
  date: [{ id: "time" }, { id: "event" }, { id: "deadline" }],
  time: [{ id: "date" }, { id: "opening_hours" }],
  job: [{ id: "status", shaped: /retired|退休/ }],
  owns: [{ id: "model" }],
  event: [{ id: "date" }],
  marital_status: [{ id: "spouse" }],
};

/** Whether a relation's predicate says what is asked, itself or more narrowly. */
export function says(relation: Relation, wanted: Predicate): boolean {
  const known = canonicalPredicate(relation.predicate);
  if (!known) {
    if (["是", "is"].includes(relation.predicate)) return wanted.id === "model" || wanted.id === "owns";
    return plain(relation.predicate) === plain(wanted.en) || plain(relation.predicate) === plain(wanted.zh) ||
      qualified(relation.predicate) === wanted.id;
  }
  if (known.id === wanted.id) return true;
  if (wanted.id === "favourite") return known.id.startsWith("favourite ");
  if (wanted.id.startsWith("favourite ")) return sameFavourite(known.id, wanted.id);
  if (known.id.startsWith("favourite ")) return wanted.id === "likes";
  if (known.id === "name") {
    const thing = relation.subject.replace(/^(?:my |我的?)/, "");
    if ((idOf(thing) ?? qualified(thing)) === wanted.id) return true; // the guest Wi-Fi is called so: that is its name
  }
  const ids = withBroader(known).map(({ id }) => id);
  return ids.includes(wanted.id) ||
    ALSO[wanted.id]?.some(({ id, shaped }) => ids.includes(id) && (!shaped || shaped.test(relation.object))) === true;
}

/** The relation of the vocabulary that a free predicate names with something before it: "work email", 公司邮箱. */
export function qualified(predicate: string): string | undefined {
  const words = predicate.split(" ");
  for (let from = 1; from < words.length; from++) {
    const known = idOf(words.slice(from).join(" "));
    if (known) return known;
  }
  for (let from = 1; /^\p{Script=Han}+$/u.test(predicate) && from < predicate.length - 1; from++) {
    const known = idOf(predicate.slice(from));
    if (known) return known;
  }
  return undefined;
}

function sameFavourite(known: string, wanted: string): boolean {
  if (!known.startsWith("favourite ")) return false;
  const [a, b] = [known.slice(10), wanted.slice(10)];
  return a.includes(b) || b.includes(a);
}

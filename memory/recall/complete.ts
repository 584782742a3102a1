import type { Graph } from "../graph/graph.ts";
import { isCurrent } from "../graph/rows.ts";
import type { IndexedUnit, SearchIndex } from "../index/search_index.ts";
import { nameKey } from "../words/fold.ts";
import { mentionsIn } from "./chain.ts";
import type { Candidate, Pool } from "./pool.ts";
import { OWNER_KEYS, type Question } from "./question.ts";
import { fitsTime } from "./when.ts";

/** Complete answers: at least so good, and at most so much worse than the best. */
const COMPLETE = 0.4;
const COMPLETE_GAP = 0.2;
/** What took the place of something that answers well is an answer from this part of the best one's on. */
const CHANGED = 0.5;

/** The units that answer in full, in the order of time that the question asks for: what was true then; what used to be;
 * else the newest first, and what is no longer true last. Turns of one conversation stay in the order of their scores. */
export function completeOf(
  ordered: Candidate[],
  options: { question: Question; pool: Pool; index: SearchIndex; graph: Graph; now: number },
): Candidate[] {
  const { question: { isMine, time: { range, tense } }, pool, now } = options;
  const timed = ({ joint, unit }: Candidate) => joint * (range ? 0.3 + 0.7 * fitsTime(unit, range) : 1);
  const turns = new Map<string, number>();
  for (const { unit } of ordered) {
    if (unit.thread !== undefined) turns.set(unit.thread, (turns.get(unit.thread) ?? 0) + 1);
  }
  const isTurn = ({ unit }: Candidate) => unit.kind === "document" && (turns.get(unit.thread ?? "") ?? 0) > 2;
  const best = Math.max(0, ...ordered.slice(0, 80).map(timed));
  const limit = Math.max(range ? COMPLETE / 2 : COMPLETE, best - COMPLETE_GAP);
  const found = ordered.slice(0, 60).filter(({ unit }) => !unit.echo);
  const first = found.filter((candidate) => timed(candidate) >= limit && (range !== undefined || !isTurn(candidate)));
  const leading = first.filter((candidate) => timed(candidate) >= best * LEADS);
  const told = range || tense === "past" ? [] : changesTold(leading, options);
  // What took its place answers as well as the text that tells the old value.
  const successors = told.map(({ after }) => pool.add(after));
  for (const candidate of successors) candidate.joint = Math.max(candidate.joint, best * LEADS);
  const changes = range || tense === "past" ? [] : [...changesAmong(found, now), ...told];
  const isNew = ({ unit }: Candidate) => changes.some(({ after }) => unit === after || tells(unit, after.object!));
  const isOld = (candidate: Candidate) =>
    !isNew(candidate) && candidate.unit.kind !== "relation" &&
    changes.some(({ before }) => tells(candidate.unit, before));
  const complete = new Set([
    ...first,
    ...found.filter((candidate) => !isTurn(candidate) && isNew(candidate) && timed(candidate) >= best * CHANGED),
    ...successors,
  ]);
  // Who asks where they live themselves is told that before where others do.
  const isOwners = ({ unit }: Candidate) => unit.subject !== undefined && OWNER_KEYS.has(unit.subject);
  const mine = new Set(isMine ? [...complete].filter(isOwners).map(({ unit }) => unit.attribute) : []);
  const isOthers = (candidate: Candidate) => mine.has(candidate.unit.attribute) && !isOwners(candidate) ? 1 : 0;
  const key = (candidate: Candidate): number[] => {
    const { unit } = candidate;
    const at = unit.since ?? unit.at;
    const isOpen = isTrue(unit, now) && !isOld(candidate) ? 1 : 0;
    if (range) return [Math.round(10 * fitsTime(unit, range)), -isOthers(candidate), at];
    return tense === "past" ? [1 - isOpen, -isOthers(candidate), -at] : [isOpen, -isOthers(candidate), at];
  };
  return [...complete].map((candidate) => ({ candidate, key: key(candidate) }))
    .sort((a, b) => b.key[0]! - a.key[0]! || b.key[1]! - a.key[1]! || b.key[2]! - a.key[2]!)
    .map(({ candidate }) => candidate);
}

/** A value that the graph knows to be over, and the relation that took its place. */
interface Change {
  before: string;
  after: IndexedUnit;
}

/** It holds now: nobody said that it is over, or will begin later. */
export const isTrue = ({ at, since = at, until }: IndexedUnit, now: number) =>
  isCurrent({ learned: at, from: since, ...(until !== undefined && { until }) }, now);

/** The pairs of a relation that is over and the one about the same that holds now. */
function changesFrom(over: IndexedUnit[], others: (old: IndexedUnit) => IndexedUnit[], now: number): Change[] {
  return over.flatMap((old) =>
    others(old).filter((unit) =>
      unit.subject === old.subject && unit.attribute === old.attribute && unit.object !== old.object &&
      isTrue(unit, now)
    ).map((after) => ({ before: old.object!, after }))
  );
}

function changesAmong(candidates: Candidate[], now: number): Change[] {
  const relations = candidates.flatMap(({ unit }) => unit.kind === "relation" ? [unit] : []);
  return changesFrom(relations.filter((unit) => !isTrue(unit, now)), () => relations, now);
}

/** A text leads that answers as well as the best, but for this part of it. */
const LEADS = 0.9;
/** Texts that lead, and relations that are looked at for each thing they name. */
const LEADING = 3;
const RELATIONS = 30;

/** What is over among the leading relations; and what the graph knows to be over of that which the leading texts tell,
 * where the question asks for it. */
function changesTold(
  leading: Candidate[],
  { question, index, graph, now }: { question: Question; index: SearchIndex; graph: Graph; now: number },
): Change[] {
  const asked = new Set(question.concepts.flatMap(({ predicate }) => predicate?.id ?? []));
  if (WHERE.test(question.folded)) { for (const place of PLACES) asked.add(place); }
  const texts = leading.filter(({ unit }) => unit.kind !== "relation").slice(0, LEADING).map(({ unit }) => unit);
  const names = new Set([...mentionsIn(texts, graph).values()].flatMap((keys) => [...keys]));
  const named = index.about([...names], RELATIONS).filter(({ object = "", attribute = "" }) =>
    names.has(object) && asked.has(attribute)
  );
  const relations = leading.flatMap(({ unit }) => unit.kind === "relation" ? [unit] : []);
  const over = [...relations, ...named].filter((unit) => !isTrue(unit, now));
  return changesFrom(over, (old) => index.about([old.subject!], RELATIONS), now);
}

const WHERE = /哪[里儿]|什么地方|地址|\bwhere\b|\baddress\b/;
const PLACES = ["address", "lives_in", "located_in"];

const tells = ({ title, text }: IndexedUnit, name: string) => nameKey(`${title ?? ""} ${text}`).includes(name);

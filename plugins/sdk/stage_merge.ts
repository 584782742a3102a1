/** Putting together what several handlers did to one stage context, so that none of it is lost. @module */
import type { StageChanges, StageContext, StagePatch } from "../../core/wire/mod.ts";

/** Whether two JSON values say the same; a key that is undefined counts as not there. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at]));
  }
  const left = a as Record<string, unknown>, right = b as Record<string, unknown>;
  return Object.keys(left).every((key) => same(left[key], right[key])) &&
    Object.keys(right).every((key) => right[key] === undefined || left[key] !== undefined);
}

/** A copy of a JSON value that shares nothing that can be changed. */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = copyJson(item);
  return copy as T;
}

/** The fields in which `after` differs from `before`. */
export function diffContext(before: StageContext, after: StageContext): StagePatch {
  const patch: Record<string, unknown> = {};
  for (const field of Object.keys(before) as (keyof StageContext)[]) {
    if (!same(before[field], after[field])) patch[field] = after[field];
  }
  return patch as StagePatch;
}

/** The same, with lists that only grew as the items at their ends. */
export function changesOf(before: StageContext, after: StageContext): Required<StageChanges> {
  const set: Record<string, unknown> = {}, append: Record<string, unknown[]> = {};
  for (const [field, now] of Object.entries(diffContext(before, after))) {
    const was: unknown = before[field as keyof StageContext];
    const grew = Array.isArray(was) && Array.isArray(now) && now.length > was.length &&
      was.every((item, at) => same(item, now[at]));
    if (grew) append[field] = now.slice(was.length);
    else set[field] = now;
  }
  return { set: set as StagePatch, append };
}

/** `base` with the changes laid over it; `base` stays as it is. */
export function withChanges(base: StageContext, { set, append }: StageChanges): StageContext {
  const ctx: Record<string, unknown> = { ...base, ...set };
  for (const [field, items] of Object.entries(append ?? {})) ctx[field] = [...ctx[field] as unknown[], ...items];
  return ctx as unknown as StageContext;
}

/** The outcome of laying a patch that was made from `base` over `current`, which others may have changed since. */
export type Merged = { kind: "merged"; fields: StagePatch } | { kind: "conflict"; field: string };

/** A field that only the patch changed is taken; when both changed it, appended items and different keys are joined, the
 * same value is no conflict, and anything else is. */
export function mergePatch(base: StageContext, current: StageContext, patch: StagePatch): Merged {
  const fields: Record<string, unknown> = {};
  for (const [name, mine] of Object.entries(patch)) {
    const field = name as keyof StageContext;
    const was = base[field], now = current[field];
    if (same(now, mine)) continue;
    if (same(was, now)) {
      fields[field] = mine;
      continue;
    }
    const joined = join(was, now, mine);
    if (joined === undefined) return { kind: "conflict", field };
    fields[field] = joined;
  }
  return { kind: "merged", fields: fields as StagePatch };
}

function join(was: unknown, now: unknown, mine: unknown): unknown {
  if (Array.isArray(was) && Array.isArray(now) && Array.isArray(mine)) {
    const kept = mine.length >= was.length && same(mine.slice(0, was.length), was);
    return kept ? [...now, ...mine.slice(was.length)] : undefined;
  }
  if (isPlain(was) && isPlain(now) && isPlain(mine)) {
    const joined: Record<string, unknown> = { ...now };
    for (const key of new Set([...Object.keys(was), ...Object.keys(mine)])) {
      if (same(was[key], mine[key])) continue;
      if (same(was[key], now[key])) {
        if (key in mine) joined[key] = mine[key];
        else delete joined[key];
      } else {
        const both = join(was[key], now[key], mine[key]);
        if (both === undefined && !same(now[key], mine[key])) return undefined;
        if (both !== undefined) joined[key] = both;
      }
    }
    return joined;
  }
  return undefined;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Putting together what several handlers did to one stage context, so that none of it is lost. @module */
import type { StageContext, StagePatch } from "../../core/wire/mod.ts";

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The fields in which `after` differs from `before`. */
export function diffContext(before: StageContext, after: StageContext): StagePatch {
  const patch: Record<string, unknown> = {};
  for (const field of Object.keys(before) as (keyof StageContext)[]) {
    if (!same(before[field], after[field])) patch[field] = after[field];
  }
  return patch as StagePatch;
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

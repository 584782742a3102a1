import { splitSentences } from "../../core/base/facts/mod.ts";
import type { RankedUnit } from "./rank.ts";

/** The first `top` hits that each say something of their own: not the message or the untitled document whose every
 * sentence a relation among them came from, and no message twice. */
export function distinct(ranked: RankedUnit[], top: number): RankedUnit[] {
  const relations: string[] = [];
  for (const { unit } of ranked.slice(0, 2 * top)) if (unit.kind === "relation") relations.push(unit.text);
  const said = new Set<string>();
  const out: RankedUnit[] = [];
  for (const entry of ranked) {
    const { unit: { kind, title, text } } = entry;
    if (out.length >= top) break;
    if (kind === "message") {
      const plain = text.trim().toLowerCase();
      if (said.has(plain)) continue;
      said.add(plain);
    }
    const isSource = kind === "message" || (kind === "document" && title === undefined);
    if (isSource && relations.length > 0 && isToldBy(relations, text)) continue;
    out.push(entry);
  }
  return out;
}

function isToldBy(relations: string[], text: string): boolean {
  const sentences = splitSentences(text);
  return sentences.length > 0 &&
    sentences.every((sentence) => relations.some((relation) => relation.includes(sentence)));
}

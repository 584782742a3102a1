/** Reads a file of sentences with the facts that each must teach, and says which were missed. @module */
import { type ExtractedFact, understand } from "../../../../core/base/facts/mod.ts";
import { predicateById, withBroader } from "../../../../core/base/predicates.ts";

export interface Told {
  sentence: string;
  /** `subject | predicate id | object`, `~` between acceptable ones; none: teaches nothing. */
  expected: string[];
}

export async function readTold(name: string): Promise<Told[]> {
  const file = new URL(`../../../fixtures/offline/${name}`, import.meta.url);
  const told: Told[] = [];
  for (const line of (await Deno.readTextFile(file)).split("\n")) {
    if (line.startsWith("#") || line.trim() === "") continue;
    if (!line.startsWith("  ")) told.push({ sentence: line, expected: [] });
    else if (line.trim() !== "-") told.at(-1)!.expected.push(line.trim());
  }
  return told;
}

function comparable(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/^(?:a |an |the |my |in |at |on )+/, "").replace(/[.。!]+$/, "")
    .replace(/(?:岁| years? old)$/, "").trim();
}

function isOf(fact: ExtractedFact, wanted: string): boolean {
  if (wanted === "?" || fact.id === wanted) return true;
  if (fact.id === undefined) return false;
  if (fact.id.includes(" ")) return fact.id.startsWith(`${wanted} `);
  return withBroader(predicateById(fact.id)).some(({ id }) => id === wanted);
}

/** What a sentence should have taught and did not; or what it taught and should not have. */
export function missed({ sentence, expected }: Told): string[] {
  const { facts, remember } = understand(sentence);
  if (expected.length === 0) {
    return facts.map(({ subject, predicate, object }) => `learned: ${subject} ${predicate} ${object}`);
  }
  return expected.filter((line) => {
    const [subjects, predicates, objects] = line.split("|").map((part) => part.trim().split("~"));
    if (predicates!.includes("?") && remember.length > 0) return false;
    const same = (texts: string[], text: string) =>
      texts.some((each) => each === "?" || comparable(each) === comparable(text));
    return !facts.some((fact) =>
      same(subjects!, fact.subject) && same(objects!, fact.object) && predicates!.some((id) => isOf(fact, id))
    );
  });
}

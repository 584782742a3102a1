import type { Person } from "../core/wire/memory.ts";
import type { Graph } from "./graph/graph.ts";
import { isCurrent } from "./graph/rows.ts";

/** The type of entities that are people. */
const PERSON = "person";

/** People and what ties them, as a view of the graph: traits are relations to plain values, ties relations to people. */
export class Social {
  readonly #graph: Graph;
  readonly #now: () => number;

  constructor(graph: Graph, now: () => number) {
    this.#graph = graph;
    this.#now = now;
  }

  /** A person by name or alias, or null when the graph knows none. */
  person(name: string): Person | null {
    const entity = this.#graph.entity(name);
    if (!entity) return null;
    const traits: Record<string, string> = {};
    const relations: { relation: string; to: string }[] = [];
    for (const relation of this.#graph.relationsOf(entity.name, { as: "subject" })) {
      if (!isCurrent(relation, this.#now())) continue;
      if (this.#isPerson(relation.object)) relations.push({ relation: relation.predicate, to: relation.object });
      else if (traits[relation.predicate] === undefined) traits[relation.predicate] = relation.object;
      else traits[relation.predicate] += `, ${relation.object}`;
    }
    const ties = this.#graph.relationsOf(entity.name, { as: "object" }).filter((relation) =>
      isCurrent(relation, this.#now()) && this.#isPerson(relation.subject)
    );
    if (entity.type !== PERSON && relations.length === 0 && Object.keys(traits).length === 0) return null;
    const related_by = ties.map(({ subject, predicate }) => ({ from: subject, relation: predicate }));
    return {
      name: entity.name,
      aliases: entity.aliases,
      traits,
      relations,
      ...(related_by.length > 0 && { related_by }),
    };
  }

  setTrait(name: string, trait: string, value: string): void {
    this.#graph.commit([{ subject: name, predicate: trait, object: value, subject_type: PERSON }], {
      source: "social",
    });
  }

  relate(from: string, relation: string, to: string): void {
    const types = { subject_type: PERSON, object_type: PERSON };
    this.#graph.commit([{ subject: from, predicate: relation, object: to, ...types }], { source: "social" });
  }

  /** Ties between people, up to `depth` steps away. */
  network(name: string, depth = 2): { from: string; relation: string; to: string }[] {
    return this.#graph.walk([name], { depth }).filter((relation) =>
      isCurrent(relation, this.#now()) && this.#isPerson(relation.object) && this.#isPerson(relation.subject)
    ).map(({ subject, predicate, object }) => ({ from: subject, relation: predicate, to: object }));
  }

  list(): string[] {
    return this.#graph.namesOfType(PERSON);
  }

  #isPerson(name: string): boolean {
    return this.#graph.typeOf(name) === PERSON;
  }
}

import type { Brief, Hit, HitKind, HitReason, RecallResult } from "../../core/wire/memory.ts";
import { diskError, isDiskFull } from "../files.ts";
import type { Graph } from "../graph/graph.ts";
import { relationUnit } from "../graph/relation_unit.ts";
import type { IndexedUnit, SearchIndex } from "../index/search_index.ts";
import { isTrue } from "./complete.ts";
import { distinct } from "./distinct.ts";
import { rank } from "./rank.ts";

/** From this on a question counts as answered: calibrated on questions of which some have no answer in memory. */
const ANSWERS = 0.37;
/** Below this a question has nothing to do with what memory holds. */
const RELATED = 0.08;
/** A hit that goes into a prompt unasked has at least this score. */
const WORTH_TELLING = 0.3;

/** Relations that are indexed at a time. */
const PAGE = 1000;

export interface RecallOptions {
  /** How many hits at most. Default 8. */
  top?: number;
  /** Calibrated score below which there is nothing; 0 or absent: the default. */
  threshold?: number;
  /** Only these kinds. */
  kinds?: HitKind[];
  /** Ids of hits that were given already. */
  exclude?: Iterable<string>;
  /** Units that are near in meaning: vectors are somebody else's. */
  near?: Near[];
}

/** A unit near the query in meaning, by number, with its closeness (a cosine) from 0 to 1. */
export interface Near {
  num: number;
  closeness: number;
}

/** Finds what memory holds for a text, over documents, relations, messages and knowledge. It only looks: nothing is
 * counted, consumed or changed. */
export class Recall {
  readonly #index: SearchIndex;
  readonly #graph: Graph;
  readonly #now: () => number;

  constructor(options: { index: SearchIndex; graph: Graph; now?: () => number }) {
    this.#index = options.index;
    this.#graph = options.graph;
    this.#now = options.now ?? Date.now;
    this.sync();
  }

  /** Brings the index up to the graph's last change: after every write to the graph, and after a crash. */
  sync(): void {
    const change = this.#graph.change;
    let done = Number(this.#index.meta("graph_change") ?? 0);
    if (done > change) {
      this.#index.removeKind("relation");
      done = 0;
    }
    if (done === change) return;
    const gone = this.#graph.goneSince(done);
    this.#index.batch(() => {
      for (const id of gone) this.#index.remove("relation", id);
      for (let page, at = { change: done, id: "\uffff" }; !page || page.length === PAGE;) {
        page = this.#graph.changedSince(at, PAGE);
        this.#index.putMany(page.map(relationUnit));
        at = page.at(-1) ?? at;
      }
      this.#index.setMeta("graph_change", change);
    });
  }

  /** The hits for a query, best first. When nothing in memory answers it, `answerable` is false and the hits are what is
   * nearest to it; when nothing has to do with it there are none. */
  recall(query: string, options: RecallOptions = {}): RecallResult {
    try {
      this.sync();
    } catch (error) {
      // On a full disk what is indexed already still answers.
      if (!isDiskFull(diskError(error, "index"))) throw error;
    }
    const { top = 8, threshold = 0 } = options;
    const excluded = new Set(options.exclude);
    const ranking = rank({
      query,
      index: this.#index,
      graph: this.#graph,
      near: options.near ?? [],
      now: this.#now(),
    });
    if (ranking.related < RELATED) return { answerable: false, hits: [] };
    const fitting = ranking.hits.filter(({ unit, score }) =>
      score >= threshold && !excluded.has(unit.id) && (!options.kinds || options.kinds.includes(unit.kind))
    );
    const hits = distinct(fitting, top).map((entry) => this.#hit(entry));
    return { answerable: ranking.answer >= (threshold || ANSWERS) && hits.length > 0, hits };
  }

  /** What the prompt gets for a text, in one call. `exclude`: ids that the context holds already. */
  brief(text: string, options: { exclude?: string[]; top?: number; near?: Near[] } = {}): Brief {
    const { top = 8, exclude = [], near = [] } = options;
    const hits = this.recall(text, { top: top * 3, exclude, near }).hits.filter(({ score }) => score >= WORTH_TELLING);
    return {
      index: hits.filter((hit) => hit.kind === "relation" || hit.kind === "sentence").slice(0, top),
      documents: hits.filter((hit) => hit.kind === "document").slice(0, 3),
      knowledge: hits.filter((hit) => hit.kind === "knowledge").slice(0, 3),
    };
  }

  #hit({ unit, score, why }: { unit: IndexedUnit; score: number; why: HitReason[] }): Hit {
    const { kind, id, title, text, at } = unit;
    return {
      id,
      kind,
      text: title && kind !== "relation" ? `${title}\n${text}` : text,
      score: Math.round(score * 1000) / 1000,
      why,
      at: new Date(at).toISOString(),
      ...(kind === "relation" && { current: isTrue(unit, this.#now()) }),
    };
  }
}

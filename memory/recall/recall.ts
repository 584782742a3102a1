import type { Brief, Hit, HitKind, HitReason, RecallResult } from "../../core/wire/memory.ts";
import type { Embedder } from "../embedders/embedder.ts";
import type { Graph } from "../graph/graph.ts";
import { isCurrent } from "../graph/rows.ts";
import { relationUnit } from "../graph/relation_unit.ts";
import type { IndexedUnit, SearchIndex } from "../index/search_index.ts";
import { rank } from "./rank.ts";

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
}

/** Finds what memory holds for a text, over documents, relations, messages and knowledge. It only looks: nothing is
 * counted, consumed or changed. */
export class Recall {
  readonly #index: SearchIndex;
  readonly #graph: Graph;
  readonly #now: () => number;
  #embedder: Embedder | undefined;

  constructor(options: { index: SearchIndex; graph: Graph; embedder?: Embedder; now?: () => number }) {
    this.#index = options.index;
    this.#graph = options.graph;
    this.#embedder = options.embedder;
    this.#now = options.now ?? Date.now;
    this.sync();
  }

  /** From now on vectors come from this one; `undefined`: no vectors. */
  setEmbedder(embedder: Embedder | undefined): void {
    this.#embedder = embedder;
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

  /** The hits for a query, best first; none when memory holds no answer. */
  async recall(query: string, options: RecallOptions = {}): Promise<RecallResult> {
    this.sync();
    const { top = 8, threshold = 0 } = options;
    const excluded = new Set(options.exclude);
    const ranking = await rank({
      query,
      index: this.#index,
      graph: this.#graph,
      embedder: this.#embedder,
      top,
      now: this.#now(),
    });
    const hits = ranking.hits.filter(({ unit, score }) =>
      score >= threshold && !excluded.has(unit.id) && (!options.kinds || options.kinds.includes(unit.kind))
    ).slice(0, top).map((entry) => this.#hit(entry));
    return { answerable: ranking.answerable && hits.length > 0, hits };
  }

  /** What the prompt gets for a text, in one call. `exclude`: ids that the context holds already. */
  async brief(text: string, options: { exclude?: string[]; top?: number } = {}): Promise<Brief> {
    const { top = 8, exclude = [] } = options;
    const { hits } = await this.recall(text, { top: top * 3, exclude });
    return {
      index: hits.filter((hit) => hit.kind === "relation" || hit.kind === "sentence").slice(0, top),
      documents: hits.filter((hit) => hit.kind === "document").slice(0, 3),
      knowledge: hits.filter((hit) => hit.kind === "knowledge").slice(0, 3),
    };
  }

  #hit({ unit, score, why }: { unit: IndexedUnit; score: number; why: HitReason[] }): Hit {
    const { kind, id, title, text, at, since = at, until } = unit;
    return {
      id,
      kind,
      text: title && kind !== "relation" ? `${title}\n${text}` : text,
      score: Math.round(score * 1000) / 1000,
      why,
      at: new Date(at).toISOString(),
      ...(kind === "relation" && {
        current: isCurrent({ learned: at, from: since, ...(until !== undefined && { until }) }, this.#now()),
      }),
    };
  }
}

import { DatabaseSync } from "node:sqlite";
import type { SearchIndex } from "../index/search_index.ts";
import { isSoundCopy, takeBackup } from "../sqlite.ts";
import { Graph } from "./graph.ts";
import { salvage } from "./salvage.ts";

/** Opens the graph of a home and holds it against its index, which was never ahead of it: a graph that knows fewer
 * changes, or is new where there was one, has lost some (its write-ahead log was cut, an older file was put in its
 * place, it was damaged). The backup takes its place when that knows more, what the index still has is learned again,
 * and the person is told. */
export function openGraph(
  path: string,
  { index, backup, now }: { index: SearchIndex; backup: string; now: () => number },
): Graph {
  const known = {
    id: index.meta("graph_id"),
    path: index.meta("graph_path"),
    change: Number(index.meta("graph_change")),
  };
  let graph = new Graph(path, { now, backup });
  const isOlder = known.id === graph.id && known.change > graph.change;
  const isAnew = known.path === path && known.id !== graph.id && graph.change === 0 && known.change > 0;
  if (isOlder || isAnew) {
    if (isOlder && changeOf(backup) > graph.change) {
      const { notices } = graph;
      graph[Symbol.dispose]();
      notices.push(takeBackup(path, { backup, reason: "its backup knows more" }));
      graph = new Graph(path, { now, backup });
      graph.notices.unshift(...notices);
    }
    const { restored, lost } = salvage(graph, index);
    graph.notices.push(
      `${path} had lost what was learned last: ${restored} facts were restored from the index` +
        `${lost > 0 ? `, ${lost} could not be` : ""}（记忆图谱缺失的内容已根据索引恢复）`,
    );
    // It counts on from where it was, so that whoever follows its changes misses none.
    graph.countOn(known.change);
  }
  if (isOlder || (known.id !== null && known.id !== graph.id)) {
    index.removeKind("relation");
    index.setMeta("graph_change", 0);
  }
  if (known.id !== graph.id) index.setMeta("graph_id", graph.id);
  if (known.path !== path) index.setMeta("graph_path", path);
  return graph;
}

/** The number of the newest change in a backup; 0 when it cannot be read. */
function changeOf(backup: string): number {
  if (!isSoundCopy(backup)) return 0;
  const db = new DatabaseSync(backup, { readOnly: true });
  try {
    const row = db.prepare("SELECT value FROM meta WHERE name = 'change'").get() as { value: number } | undefined;
    return row?.value ?? 0;
  } finally {
    db.close();
  }
}

import { Documents } from "../../memory/documents/documents.ts";
import { diskStore } from "../../memory/files.ts";
import { Graph } from "../../memory/graph/graph.ts";
import { importLines, type ImportSinks } from "../../memory/import.ts";
import { messageUnit, SearchIndex } from "../../memory/index/search_index.ts";
import { Recall } from "../../memory/recall/recall.ts";

/** Graph, documents, index and recall over a temporary folder, without a worker. */
export class MemoryHome implements Disposable {
  readonly folder = Deno.makeTempDirSync({ prefix: "homed-bench-" });
  readonly index = new SearchIndex(`${this.folder}/index.db`);
  readonly graph = new Graph(`${this.folder}/graph.db`);
  readonly documents = new Documents({
    files: diskStore([`${this.folder}/documents`]),
    folder: `${this.folder}/documents`,
    index: this.index,
  });
  readonly recall = new Recall({ index: this.index, graph: this.graph });

  readonly sinks: ImportSinks = {
    attributes() {},
    entities() {},
    relations: (facts) => {
      this.graph.commit(facts, { source: "import" });
      this.recall.sync();
    },
    documents: (documents) => void this.documents.putMany(documents),
    messages: (messages) =>
      this.index.putMany(messages.filter(({ id }) => !this.index.get("message", id)).map(messageUnit)),
    knowledge: ({ name, content }) =>
      this.index.put({ kind: "knowledge", id: name, title: name, text: content, at: 0 }),
    media: () => {},
  };

  async import(path: string): Promise<void> {
    using file = await Deno.open(path);
    const report = await importLines(file.readable, this.sinks);
    if (report.rejected.length > 0) throw new Error(`${path}: ${JSON.stringify(report.rejected[0])}`);
  }

  [Symbol.dispose](): void {
    this.documents[Symbol.dispose]();
    this.graph[Symbol.dispose]();
    this.index[Symbol.dispose]();
    Deno.removeSync(this.folder, { recursive: true });
  }
}

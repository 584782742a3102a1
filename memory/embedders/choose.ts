import { basename } from "node:path";
import { progressLog } from "../../core/base/progress.ts";
import { HomedError } from "../../core/base/errors.ts";
import type { Log } from "../../core/base/log.ts";
import { reasonOf } from "../../core/base/system_error.ts";
import type { EmbedMethods } from "../../core/wire/memory.ts";
import type { Peer } from "../../core/wire/peer.ts";
import type { Embedder } from "./embedder.ts";
import { neuralEmbedder } from "./neural.ts";
import { convertModel, StaticEmbedder } from "./static.ts";
import { parseModelPaths } from "./vector_file.ts";

/** The line to the embed worker, when `main` has started one because the setting names a model's folder. */
export interface NeuralLine {
  peer?: Peer<EmbedMethods>;
  /** Called when there is a new line: the choice is made again. */
  attached?: () => void;
}

/** The embedder that the setting `core.agent.embedding_model_path` names, made ready; undefined when it names none. The
 * paths are files here: a model known by name was downloaded by `main` before.
 * @throws HomedError when no model of the setting can be used */
export async function chooseEmbedder(
  setting: string,
  options: { folder: string; log: Log; signal: AbortSignal; neural?: NeuralLine | undefined },
): Promise<(Embedder & Partial<Disposable>) | undefined> {
  const models = parseModelPaths(setting);
  if (models.length === 0) return undefined;
  const peer = options.neural?.peer;
  if (peer && !peer.isClosed && models.length === 1) {
    return await neuralEmbedder(peer, models[0]!.path.replace(/[/\\]+$/, ""));
  }
  // A folder holds a neural model, which the embed worker opens: its line comes after this.
  if (models.length === 1 && await isFolder(models[0]!.path)) return undefined;
  const ready: { path: string; name: string }[] = [];
  const unusable: { path: string; reason: string }[] = [];
  for (const model of models) {
    const name = basename(model.path);
    const tell = progressLog(options.log, `Converting ${name}`);
    try {
      const { path, report } = await convertModel(model, {
        folder: options.folder,
        progress: (rows, share) => {
          tell(share, `${rows} words`);
          options.signal.throwIfAborted();
        },
      });
      if (report) options.log.info(`Converted ${name}: ${report.rows} words, ${report.rejected} lines rejected`);
      ready.push({ path, name });
    } catch (error) {
      tell(null, "given up");
      options.signal.throwIfAborted();
      unusable.push({ path: model.path, reason: reasonOf(error) });
    }
  }
  if (ready.length === 0) throw new HomedError("no_model", unusable.map(({ reason }) => reason).join("; "));
  for (const { path, reason } of unusable) {
    options.log.warn(`Cannot use the embedding model ${path}: ${reason}: the other models are used`, { notice: true });
  }
  return new StaticEmbedder(ready);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}

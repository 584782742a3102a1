import type { EmbedMethods } from "../../core/wire/memory.ts";
import type { Peer } from "../../core/wire/peer.ts";
import type { Embedder } from "./embedder.ts";

/** Texts in one call of the worker: more would hold it too long to answer a question in between. */
const BATCH = 8;
/** Characters; a model reads a few hundred words at most. */
const TEXT = 4_000;

/** Opens the model of a folder in the embed worker at the other end of `peer`.
 * @throws RpcError when the folder holds no model that can be read */
export async function neuralEmbedder(peer: Peer<EmbedMethods>, folder: string): Promise<Embedder> {
  const { name, dimension, fingerprint } = await peer.call("embed.open", { folder });
  return {
    name: `neural: ${name}`,
    dimension,
    fingerprint,
    async embed(texts) {
      const found: Float32Array[] = [];
      // A model gives a vector even to nothing at all; nothing is like nothing.
      const said = texts.flatMap((text, i) => (/[\p{L}\p{N}]/u.test(text) ? [i] : []));
      for (let at = 0; at < said.length; at += BATCH) {
        const batch = said.slice(at, at + BATCH).map((i) => texts[i]!.slice(0, TEXT));
        found.push(...(await peer.call("embed.texts", { texts: batch })).vectors);
      }
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dimension));
      for (const [at, i] of said.entries()) vectors[i] = found[at]!;
      return vectors.map((values) => ({ space: fingerprint, values }));
    },
  };
}

/** The `files` worker: may read and write the configured folders and nothing else. @module */
import { probe } from "../../../core/base/probe.ts";
import { Peer, portTransport, type ProbePlan, type WorkerPort } from "../../../core/wire/mod.ts";
import type { FilesMethods } from "./methods.ts";
import { appendText, editText, listFolder, readText, search, toTrash, writeText } from "./operations.ts";
import { Roots } from "./paths.ts";

let roots: Promise<Roots> = Promise.reject(new Error("The files worker was not opened"));
roots.catch(() => {}); // whoever calls before `open` is told

const handlers: { [M in keyof FilesMethods]: (params: FilesMethods[M]["params"], signal: AbortSignal) => unknown } = {
  open: async ({ roots: folders }) => {
    roots = Roots.open(folders);
    return { roots: (await roots).list };
  },
  read: async (params) => await readText(await roots, params),
  write: async (params) => await writeText(await roots, params),
  append: async (params) => await appendText(await roots, params),
  edit: async (params) => await editText(await roots, params),
  delete: async (params) => await toTrash(await roots, params),
  list: async (params) => await listFolder(await roots, params),
  search: async (params, signal) => await search(await roots, params, signal),
};

const peer = new Peer<Record<never, never>>(portTransport(self as unknown as WorkerPort), { name: "main" });
for (const [method, handler] of Object.entries(handlers)) {
  peer.serve({
    [method]: (params, { signal }) => (handler as (p: unknown, s: AbortSignal) => unknown)(params, signal),
  });
}
peer.serve({ ping: () => ({}), probe: (plan: ProbePlan) => probe(plan) }).open();

import type { ProbePlan, ProbeResult } from "../../../core/wire/mod.ts";
import type { SearchArguments } from "./operations.ts";

type Call<P, R = unknown> = { params: P; result: R };

/** What the `files` worker serves to the plugin. `open` comes first. */
export interface FilesMethods {
  open: Call<{ roots: string[] }, { roots: string[] }>;
  read: Call<{ path: string; from?: number; lines?: number }>;
  write: Call<{ path: string; content: string }>;
  append: Call<{ path: string; content: string }>;
  edit: Call<{ path: string; find: string; replace: string; all?: boolean }>;
  delete: Call<{ path: string }>;
  list: Call<{ path?: string; depth?: number }>;
  search: Call<SearchArguments>;
}

/** The same with what every worker serves. */
export interface FilesWorkerMethods extends FilesMethods {
  ping: Call<Record<never, never>>;
  probe: Call<ProbePlan, ProbeResult>;
}

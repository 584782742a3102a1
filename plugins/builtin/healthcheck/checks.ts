/** One thing that was looked at. `red`: something does not work; `amber`: it works, but somebody should look. */
export interface Check {
  name: string;
  state: "green" | "amber" | "red";
  detail: string;
}

/** What the checks look at. */
export interface Findings {
  plugins: { name: string; state: string; reason?: string }[];
  sources: { name: string; state: string }[];
  /** Bytes, of the file system that holds the home; undefined when it cannot be asked. */
  disk: { free: number; total: number } | undefined;
  /** Milliseconds since the check before this should have run: how late the scheduler is. */
  late: number;
}

const MIB = 1 << 20;
const LOW_DISK = 200 * MIB, FULL_DISK = 20 * MIB;
/** Milliseconds behind its time from which the scheduler counts as slow, and as dead. */
const SLOW = 2_000, DEAD = 60_000;

/** Judges what was found. */
export function judge({ plugins, sources, disk, late }: Findings): Check[] {
  const broken = plugins.filter(({ state }) => state === "quarantined" || state === "failed");
  const shaky = plugins.filter(({ state }) => state === "backoff");
  const out = sources.filter(({ state }) => state !== "ready");
  return [
    {
      name: "plugins",
      state: broken.length > 0 ? "red" : shaky.length > 0 ? "amber" : "green",
      detail: [...broken, ...shaky].map(({ name, state, reason }) => `${name}: ${state}${reason ? ` (${reason})` : ""}`)
        .join("; ") || `${plugins.length} plugins, none in trouble`,
    },
    {
      name: "sources",
      state: sources.length > 0 && out.length === sources.length ? "red" : out.length > 0 ? "amber" : "green",
      detail: sources.length === 0
        ? "no LLM source is configured: the offline rules answer"
        : out.map(({ name, state }) => `${name}: ${state}`).join("; ") || `${sources.length} ready`,
    },
    {
      name: "disk",
      state: disk && disk.free < FULL_DISK ? "red" : disk && disk.free < LOW_DISK ? "amber" : "green",
      detail: disk ? `${Math.floor(disk.free / MIB)} MiB free` : "cannot be asked here",
    },
    {
      name: "scheduler",
      state: late > DEAD ? "red" : late > SLOW ? "amber" : "green",
      detail: late > SLOW ? `${Math.round(late / 1000)} s behind` : "on time",
    },
  ];
}

/** The worst of them. */
export function overall(checks: readonly Check[]): Check["state"] {
  return (["red", "amber"] as const).find((state) => checks.some((check) => check.state === state)) ?? "green";
}

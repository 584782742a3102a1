import { messageOf } from "../base/errors.ts";
import type { MemoryStats, ProbePlan, ProbeResult } from "../wire/mod.ts";
import type { Check, DoctorReport } from "../wire/owner.ts";
import type { Daemon } from "./daemon.ts";
import { excessOf, lackOf, type PartRights, probePlan } from "./permissions.ts";
import { approvalWarnings } from "./setting_warnings.ts";
import { examineHome } from "./home_checks.ts";

/** Looks at a running homed: its home, parts, sources and settings. `online` makes one tiny call to each source. */
export async function examine(daemon: Daemon, { online }: { online: boolean }): Promise<DoctorReport> {
  const checks = examineHome(daemon.home);
  const problems = daemon.registry.problems();
  checks.push({
    name: "settings",
    ok: problems.length === 0,
    detail: problems.length === 0 ? "every value fits" : problems.join("; "),
    ...(problems.length > 0 &&
      {
        fix:
          "set it anew with `homed config set`, or take it back with `homed config unset`; correct a variable where it " +
          "is set",
      }),
  });
  const whole = daemon.registry.isWhole();
  checks.push({
    name: "config.db",
    ok: whole,
    detail: whole ? "whole" : "damaged",
    ...(!whole && { fix: "homed stop, then start it again: the copy of the last change takes its place" }),
  });
  const workers = await examineWorkers(daemon, checks);
  checks.push(...daemon.warnings.map(({ text, fix }) => ({ name: "settings", ok: false, detail: text, fix })));
  const { tools } = await daemon.parts.kernel.peer.call("tools.list", {}, { timeout: 10_000 });
  // A plugin that is disabled may come back: no fault, but worth a look.
  const approvals = approvalWarnings(daemon.registry, tools);
  checks.push(...approvals.map(({ text, fix }) => ({ name: "settings", ok: true, detail: text, fix })));
  await examineMemory(daemon, checks);
  await examineSources(daemon, checks, online);
  checks.push(...examinePlugins(daemon));
  return { checks, workers };
}

async function examineWorkers(daemon: Daemon, checks: Check[]): Promise<DoctorReport["workers"]> {
  const { parts, home } = daemon;
  const running = parts.all;
  const rows: { name: string; rights?: PartRights; probe: (plan: ProbePlan) => Promise<ProbeResult> }[] = [
    ...running.map((part) => ({
      name: part.name,
      rights: parts.rights(part.name),
      probe: (plan: ProbePlan) => parts.probe(part, plan),
    })),
    ...(parts.embed.rights
      ? [{ name: "embed", rights: parts.embed.rights, probe: (plan: ProbePlan) => parts.embed.probe(plan) }]
      : []),
    // Those of built-in plugins are started at their first use.
    ...daemon.pluginWorkers,
  ];
  const plan = probePlan(rows.flatMap(({ rights }) => rights ?? []), OUTSIDE(home.root, home.config));
  const workers: DoctorReport["workers"] = [];
  for (const { name: worker, rights, probe } of rows) {
    const name = `worker ${worker}`;
    try {
      const permissions = await probe(plan);
      workers.push({ name: worker, permissions });
      if (!rights) {
        checks.push({ name, ok: true, detail: "it may do everything, as a terminal needs; each use is asked for" });
        continue;
      }
      const excess = excessOf(rights, permissions);
      const lack = lackOf(rights, permissions);
      checks.push({
        name,
        ok: excess.length === 0 && lack.length === 0,
        detail: excess.length > 0
          ? `it may do more than it should: ${excess.join(", ")}`
          : lack.length > 0
          ? `it may do less than it should: ${lack.join(", ")}`
          : "it may do what it should, and nothing else",
        ...(excess.length > 0 && { fix: "stop using this homed and report this: a boundary does not hold" }),
      });
    } catch (error) {
      checks.push({ name, ok: false, detail: messageOf(error), fix: "homed stop, then start it again" });
    }
  }
  return workers;
}

/** Targets that no part may reach. */
const OUTSIDE = (root: string, config: string): PartRights => ({
  read: [root, config, Deno.execPath()],
  write: [root],
  net: ["127.0.0.1:9", "localhost:443"],
});

async function examineMemory(daemon: Daemon, checks: Check[]): Promise<void> {
  try {
    const stats = await daemon.parts.memory.peer.call("memory.stats", {}, { timeout: 30_000 });
    checks.push({
      name: "memory",
      ok: true,
      detail: `${stats.entities} entities, ${stats.current_relations} current facts, ${stats.documents} documents`,
    });
    checks.push(embeddingCheck(daemon, stats.embedder));
  } catch (error) {
    checks.push({
      name: "memory",
      ok: false,
      detail: messageOf(error),
      fix: "look at logs/homed.log; `homed restore` brings a backup back",
    });
  }
}

/** What makes vectors, and whether it is what the settings want. */
function embeddingCheck(daemon: Daemon, { name, pending }: MemoryStats["embedder"]): Check {
  const check = { name: "embedding model", ok: true };
  const key = "core.agent.embedding_model_path";
  const download = daemon.parts.downloads.state;
  if (name !== "tfidf") {
    return { ...check, detail: pending > 0 ? `${name}: ${pending} texts wait for their vectors` : `${name} is in use` };
  }
  if (download) return { ...check, detail: `${download.name} is being downloaded: memory finds by words until then` };
  if (daemon.registry.text(key) === "") return { ...check, detail: "none is set: memory finds by words" };
  if (daemon.warnings.some((warning) => warning.key === key)) {
    return { ...check, detail: "none is in use: memory finds by words" };
  }
  return { ...check, detail: "none is in use yet: it is being made ready, or homed status says why it cannot be" };
}

async function examineSources(daemon: Daemon, checks: Check[], online: boolean): Promise<void> {
  for (const { source, message } of daemon.brokenSources) {
    const fix = `look at the settings under core.llm.sources.${source}`;
    checks.push({ name: `source ${source}`, ok: false, detail: message, fix });
  }
  if (daemon.sources.length === 0 && daemon.brokenSources.length === 0) {
    checks.push({
      name: "sources",
      ok: true,
      detail: "no LLM source is configured: the offline agent answers",
      fix: "add one with /setup in `homed chat`, or: homed config set core.llm.sources.openai.api_key YOUR-KEY",
    });
  }
  const { sources } = await daemon.parts.kernel.peer.call("kernel.status", {}, { timeout: 10_000 });
  for (const { name, model, state, reason } of sources) {
    const check: Check = { name: `source ${name}`, ok: state === "ready", detail: `${model}: ${reason ?? state}` };
    if (online) {
      try {
        await daemon.parts.kernel.peer.call(
          "llm.complete",
          { prompt: "Answer with the word ok.", source: name, now: true },
          { timeout: 60_000 },
        );
        Object.assign(check, { ok: true, detail: `${model} answers` });
      } catch (error) {
        Object.assign(check, { ok: false, detail: daemon.registry.scrub(messageOf(error)) });
      }
    }
    if (!check.ok) check.fix = `look at the settings under core.llm.sources.${name}`;
    checks.push(check);
  }
}

function examinePlugins(daemon: Daemon): Check[] {
  const { plugins } = daemon;
  const bad = plugins.filter(({ state }) => state === "failed" || state === "quarantined" || state === "backoff");
  if (bad.length === 0) {
    const running = plugins.filter(({ state }) => state === "running" || state === "loaded").length;
    return [{ name: "plugins", ok: true, detail: `${running} of ${plugins.length} are running` }];
  }
  return bad.map(({ name, state, detail }) => ({
    name: `plugin ${name}`,
    ok: false,
    detail: detail ? `${state}: ${detail}` : state,
    fix: `homed plugin logs ${name}; then homed plugin reload ${name}, or disable it`,
  }));
}

import type { Registry } from "../config/mod.ts";
import type { KernelSettings, MemorySettings, SourceInfo, SourceSecrets } from "../wire/mod.ts";
import { readIfThere } from "../base/files.ts";
import type { Home } from "./home.ts";
import { settingHere } from "./models/places.ts";
import { VERSION } from "./version.ts";

/** What the kernel lives by, of the settings as they are now. */
export function kernelSettings(
  home: Home,
  registry: Registry,
  given: Pick<KernelSettings, "skills" | "broken_sources"> & { sources: SourceSecrets[] },
): KernelSettings {
  const image = (field: string) => registry.text(`core.input_processing.image.${field}`);
  const audio = (field: string) => registry.text(`core.input_processing.audio.${field}`);
  return {
    max_tool_turns: registry.number("core.agent.max_tool_turns"),
    max_context_size: registry.number("core.agent.max_context_size"),
    tool_timeout: registry.duration("core.agent.tool_timeout"),
    temperature: registry.number("core.llm.temperature"),
    max_tokens: registry.number("core.llm.max_tokens"),
    thinking_enabled: registry.flag("core.llm.thinking_enabled"),
    provider: registry.text("core.llm.provider"),
    system_prompt: registry.text("core.agent.system_prompt"),
    personal_prompt: registry.text("core.agent.personal_prompt"),
    persona: readIfThere(home.persona)?.trim() ?? "",
    approval_timeout: registry.duration("core.approval.timeout"),
    approvals: approvals(registry),
    sources: given.sources.map(withoutSecrets),
    ...(given.broken_sources && { broken_sources: given.broken_sources }),
    image: {
      fallback_source: image("fallback_source"),
      fallback_model: image("fallback_model"),
      describe_prompt: image("describe_prompt"),
      ocr_prompt: image("ocr_prompt"),
    },
    audio: {
      fallback_source: audio("fallback_source"),
      fallback_model: audio("fallback_model"),
      describe_prompt: audio("describe_prompt"),
    },
    media_enabled: registry.flag("core.memory.media.enabled"),
    skills: given.skills,
    version: VERSION,
  };
}

/** What the memory lives by. */
export function memorySettings(home: Home, registry: Registry): MemorySettings {
  const place = (key: string) => home.path(registry.text(key));
  return {
    home: home.root,
    graph: place("core.memory.graph"),
    documents: place("core.memory.documents"),
    text: place("core.memory.text"),
    media_dir: place("core.memory.media.dir"),
    context: home.path("memory/context.json"),
    knowledge: place("core.knowledge.path"),
    media_enabled: registry.flag("core.memory.media.enabled"),
    media_max_bytes: registry.number("core.memory.media.max_bytes"),
    media_min_age: registry.duration("core.memory.media.min_age"),
    max_context_size: registry.number("core.agent.max_context_size"),
    distill_interval: registry.duration("core.agent.distill_interval"),
    archive_interval: registry.duration("core.agent.archive_interval"),
    merge_interval: registry.duration("core.agent.merge_interval"),
    review_interval: registry.duration("core.agent.review_interval"),
    pipeline_interval: registry.duration("core.memory.pipeline_interval"),
    pipeline_retention: registry.duration("core.memory.pipeline_retention"),
    cold_after: registry.duration("core.memory.cold_after"),
    cold_max_accesses: registry.number("core.memory.cold_max_accesses"),
    recall_top: registry.number("core.memory.recall.top"),
    recall_threshold: registry.number("core.memory.recall.threshold"),
    embedding_model_path: settingHere(registry.text("core.agent.embedding_model_path"), home),
    log_rotate_bytes: registry.number("core.memory.text_max_bytes"),
    ...(BOOT !== undefined && { boot: BOOT }),
  };
}

/** Linux names every run of the machine; where that may not be read, as elsewhere, it has no name. */
function bootName(): string | undefined {
  try {
    return readIfThere("/proc/sys/kernel/random/boot_id")?.trim();
  } catch {
    return undefined;
  }
}
const BOOT = bootName();

function approvals(registry: Registry): KernelSettings["approvals"] {
  const found: KernelSettings["approvals"] = {};
  for (const key of registry.keys("core.approval")) {
    if (key === "core.approval.timeout") continue;
    found[key.slice("core.approval.".length)] = registry.text(key) as "allow" | "ask" | "deny";
  }
  return found;
}

function withoutSecrets(
  { base_url: _url, api_key: _key, script: _script, timeout: _timeout, idle_timeout: _idle, ...info }: SourceSecrets,
): SourceInfo {
  return info;
}

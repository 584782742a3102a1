/** The definition of every setting under `core.*`. @module */
import type { Definition } from "../definition.ts";
import { SOURCE_NAME } from "../source_defaults.ts";
import { AGENT_DEFINITIONS } from "./agent.ts";
import { DAEMON_DEFINITIONS } from "./daemon.ts";
import { LLM_DEFINITIONS, SOURCE_FIELDS, sourceDefinitions } from "./llm.ts";
import { MEMORY_DEFINITIONS } from "./memory.ts";
import { APPROVAL_TOOL, approvalDefinition, PLUGIN_DEFINITIONS } from "./plugins.ts";

export { SOURCE_FIELDS, sourceDefinitions };

/** Settings whose key is fixed. */
export const CORE_DEFINITIONS: Definition[] = [
  ...DAEMON_DEFINITIONS,
  ...LLM_DEFINITIONS,
  ...AGENT_DEFINITIONS,
  ...MEMORY_DEFINITIONS,
  ...PLUGIN_DEFINITIONS,
];

/** The definition of a setting whose key has a part that the person chooses: a source's or a tool's name. */
export function patternDefinition(key: string): Definition | undefined {
  const [, source, field] = /^core\.llm\.sources\.([^.]+)\.([^.]+)$/.exec(key) ?? [];
  if (source !== undefined && SOURCE_NAME.test(source) && SOURCE_FIELDS.includes(field!)) {
    return sourceDefinitions(source).find((definition) => definition.key === key);
  }
  const tool = /^core\.approval\.(.+)$/.exec(key)?.[1];
  if (tool !== undefined && APPROVAL_TOOL.test(tool)) return approvalDefinition(tool);
}

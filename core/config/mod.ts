/** Settings: the definition of every key, and the registry that keeps their values. @module */
export * from "./definition.ts";
export * from "./duration.ts";
export * from "./environment.ts";
export { CORE_DEFINITIONS, patternDefinition, sourceDefinitions } from "./definitions/mod.ts";
export * from "./registry.ts";
export * from "./secrets.ts";
export * from "./source_defaults.ts";
export * from "./source_names.ts";
export * from "./sources.ts";

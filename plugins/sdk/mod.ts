/** What a plugin author imports. @module */
export * from "./builtin.ts";
export * from "./connect.ts";
export * from "./plugin.ts";
export * from "./stage_merge.ts";

/** Everything that crosses a thread, a process or a socket. @module */
export * from "./chat.ts";
export * from "./event.ts";
export * from "./kernel.ts";
export * from "./llm.ts";
export * from "./manifest.ts";
export * from "./memory.ts";
export * from "./ndjson.ts";
export * from "./owner.ts";
export * from "./peer.ts";
export * from "./plugin.ts";
export type { LocalizedText, PluginSetting } from "./plugin_setting.ts";
export * from "./rpc.ts";
export * from "./stage.ts";
export * from "./transport.ts";

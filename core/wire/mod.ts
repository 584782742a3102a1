/** Everything that crosses a thread, a process or a socket. @module */
export * from "./chat.ts";
export * from "./event.ts";
export * from "./kernel.ts";
export * from "./llm.ts";
export * from "./memory.ts";
export * from "./ndjson.ts";
export * from "./owner.ts";
export * from "./peer.ts";
export * from "./plugin.ts";
export * from "./rpc.ts";
export * from "./stage.ts";
export * from "./transport.ts";

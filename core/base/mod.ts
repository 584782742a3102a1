/** The leaf room: what every other room may use and what uses none of them. @module */
export * from "./backoff.ts";
export * from "./channel.ts";
export * from "./clock.ts";
export * from "./errors.ts";
export * from "./ids.ts";
export * from "./log.ts";
export * from "./system_error.ts";

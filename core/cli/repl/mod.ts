/** The REPL: a line editor, a streaming Markdown renderer and the `/` commands over a `ReplSession`. @module */
export * from "./deno_io.ts";
export * from "./io.ts";
export { runRepl } from "./repl.ts";
export * from "./session.ts";

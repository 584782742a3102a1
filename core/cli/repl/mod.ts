/** The REPL: a line editor, a streaming Markdown renderer and the `/` commands over a `ReplSession`. @module */
export * from "./session.ts";

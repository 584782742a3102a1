/** The LLM adapters: their scripts, and what `main` needs to run them in the `lua` worker. @module */
export * from "./catalog.ts";
export * from "./ollama.ts";
export * from "./wasm.ts";

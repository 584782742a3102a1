import { HomedError } from "../../../core/base/mod.ts";
import { lex, type Token } from "./js_lexer.ts";

/** Names that are refused wherever they stand as a variable or a property: each makes code of a text, or a thread or a
 * module loader that is not bound by the plugin's permissions. */
const REFUSED_NAMES: Record<string, string> = {
  eval: "makes code of a text",
  Worker: "starts a thread",
  SharedWorker: "starts a thread",
  importScripts: "loads other code",
  createRequire: "loads other code",
  getBuiltinModule: "loads other code",
  require: "loads other code",
};

/** Refuses the text of a JS plugin that is not one closed file: no import of any kind, no export from elsewhere, and
 * nothing that makes code of a text or a thread. Done at every load, on the very text that is then run.
 * @throws {HomedError} `refused_code`, with the line and the reason */
export function checkScript(source: string): void {
  let tokens: Token[];
  try {
    tokens = lex(source);
  } catch (error) {
    throw new HomedError("refused_code", error instanceof Error ? error.message : String(error), { cause: error });
  }
  tokens.forEach((token, index) => {
    const reason = token.kind === "name" && problemAt(tokens, index);
    if (reason) {
      throw new HomedError("refused_code", `The plugin's code is refused at line ${token.line}: ${reason}`, {
        fix: "build the plugin to one file with `homed plugin build`, and use what the SDK offers",
      });
    }
  });
}

function problemAt(tokens: Token[], index: number): string | undefined {
  const { text } = tokens[index]!;
  const before = tokens[index - 1], after = tokens[index + 1];
  const isProperty = before?.text === "." || before?.text === "?.";
  if (text === "import" && !isProperty) {
    if (after?.text === ":") return undefined;
    if (after?.text === "." && tokens[index + 2]?.text === "meta") return undefined;
    return after?.text === "(" || after?.text === "."
      ? "it loads other code with import()"
      : "it imports another module: a plugin is one file";
  }
  // `export * from`, `export {a} from`: only a string may follow `from` there.
  if (text === "from" && !isProperty && after?.kind === "string" && isExportFrom(tokens, index)) {
    return "it exports from another module: a plugin is one file";
  }
  if (Object.hasOwn(REFUSED_NAMES, text)) return `\`${text}\` ${REFUSED_NAMES[text]}`;
  if (text === "Function" && (after?.text === "(" || before?.text === "new")) return "`Function` makes code of a text";
  if (text === "constructor" && isProperty && (after?.text === "(" || after?.text === "?." || after?.text === "[")) {
    return "`.constructor(…)` can make code of a text";
  }
  return undefined;
}

function isExportFrom(tokens: Token[], index: number): boolean {
  const before = tokens[index - 1];
  return before?.text === "}" || before?.text === "*" || (before?.kind === "name" && tokens[index - 2]?.text === "as");
}

import { HomedError } from "../base/errors.ts";
import { systemError } from "../base/system_error.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import { inLanguage } from "./chinese.ts";
import type { Language } from "./language.ts";

/** Exit statuses of the command line (CONTRACT 1). */
export const EXIT = { done: 0, failed: 1, usage: 2, noSource: 3, homeInUse: 75 } as const;

/** The command line makes no sense. */
export class UsageError extends Error {
  override name = "UsageError";
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/** What a failure is to the caller of the command: an exit status, and one line that says what happened and what to do,
 * in the language of the person. */
export function failureOf(error: unknown, language: Language = "en"): { code: number; line: string } {
  const { message, fix } = describe(error);
  const clean = (text: string) => {
    const told = text.replace(/\s*[\r\n]+\s*/g, "; ").replace(/\p{Cc}/gu, " ").trim().replace(/\.$/, "");
    return inLanguage(told, language);
  };
  const colon = language === "zh" ? "：" : ": ";
  return { code: exitCode(error), line: `homed: ${clean(message)}${fix ? `${colon}${clean(fix)}` : ""}` };
}

function exitCode(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof RpcError && error.code === RPC_CODES.noSource) return EXIT.noSource;
  return EXIT.failed;
}

/** What an error itself says can be done about it. */
export function fixOf(error: unknown): string | undefined {
  if (error instanceof UsageError || error instanceof HomedError) return error.fix;
  const data = error instanceof RpcError ? error.data : undefined;
  const fix = typeof data === "object" && data !== null && "fix" in data ? data.fix : undefined;
  return typeof fix === "string" ? fix : undefined;
}

function describe(error: unknown): { message: string; fix: string | undefined } {
  const known = fixOf(error);
  if (known !== undefined || error instanceof UsageError || error instanceof HomedError) {
    return { message: (error as Error).message, fix: known };
  }
  if (error instanceof RpcError && error.code === RPC_CODES.noSource) {
    return { message: error.message, fix: "homed doctor --online tries each source" };
  }
  const system = systemError(error);
  if (system) {
    const { path, reason, fix } = system;
    return { message: path === undefined ? `Cannot go on: ${reason}` : `Cannot use ${path}: ${reason}`, fix };
  }
  return { message: error instanceof Error ? error.message : String(error), fix: undefined };
}

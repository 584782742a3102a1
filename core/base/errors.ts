/** An error that stays in this process: `code` is a string to branch on, the message a sentence for the person who can
 * act, `fix` what to do about it. Errors that cross a thread, process or socket are `RpcError` (`core/wire/rpc.ts`). */
export class HomedError extends Error {
  override name = "HomedError";
  readonly code: string;
  readonly fix: string | undefined;

  constructor(code: string, message: string, options: { fix?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

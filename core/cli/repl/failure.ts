import { messageOf } from "../../base/errors.ts";
import { RPC_CODES, RpcError } from "../../wire/rpc.ts";
import { fixOf } from "../failure.ts";
import { type Line, line } from "./spans.ts";
import type { TextKey, Texts } from "./texts.ts";
import { visibleLine } from "./visible.ts";

/** Whether an error says that no LLM source answered: exit status 3. */
export function isNoSource(error: unknown): boolean {
  return error instanceof RpcError && error.code === RPC_CODES.noSource;
}

/** What the kernel says before the reasons when no source answered. */
const NOBODY = /^(?:No LLM source answered\. |没有任何模型来源给出回答。)/;

/** Why the one source that was asked did not answer, in the person's language. */
export const reasonOfSource = (error: unknown, texts: Texts): string =>
  visibleLine(texts.told(messageOf(error)).replace(NOBODY, ""));

/** An error as lines for the person. */
export function failureLines(error: unknown, texts: Texts, key: TextKey = "failed"): Line[] {
  const reason = visibleLine(texts.told(messageOf(error))), fix = fixOf(error);
  // The kernel's own sentence says by itself that nobody answered.
  const isSaid = isNoSource(error) && NOBODY.test(reason);
  const told = line(isSaid ? reason : texts(isNoSource(error) ? "noSource" : key, { reason }), { color: "red" });
  return fix ? [told, line(texts("fix", { fix: visibleLine(texts.told(fix)) }))] : [told];
}

import { messageOf } from "../core/base/errors.ts";
import type { LuaHost } from "./vm.ts";

const TIMEOUT = 30_000;
const MOST = 8 * 1024 * 1024;

/** `http_get` and `http_post` of the scripts: JSON text `{url, status, body}`, or `{url, error}`. Only hosts the worker may
 * reach answer; anything else is an error like a missing host. */
export function scriptHttp(fetch: typeof globalThis.fetch): LuaHost["http"] {
  return async (method, url, body) => {
    try {
      const response = await fetch(url, {
        method,
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT),
        ...(method === "POST" && { body, headers: { "content-type": "application/json" } }),
      });
      const text = await response.text();
      if (text.length > MOST) return JSON.stringify({ url, error: `The answer has more than ${MOST} bytes` });
      return JSON.stringify({ url, status: response.status, body: text });
    } catch (error) {
      return JSON.stringify({ url, error: messageOf(error) });
    }
  };
}

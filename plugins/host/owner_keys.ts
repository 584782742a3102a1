/** Keys that only the owner changes (CONTRACT 4), whoever asks: approvals, where a source's messages and keys go, what
 * plugins may do and where they lie, addresses to listen on, and the roots of work on files. */
const OWNER_KEYS = [
  /^core\.approval\./,
  /^core\.llm\.sources\.[^.]+\.(base_url|api_key|adapter|adapter_path)$/,
  /^core\.plugin\./,
  /^core\.agent\.workdir$/,
  /^core\.daemon\.socket$/,
  /^core\.service\./,
  /(^|\.)(listen|roots|permissions|capabilities|enabled)$/,
];

/** True when no tool and no plugin may set this key. */
export function isOwnerKey(key: string): boolean {
  return OWNER_KEYS.some((pattern) => pattern.test(key));
}

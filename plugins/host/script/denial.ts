import { RPC_CODES, RpcError } from "../../../core/wire/mod.ts";

const ENTRIES: Record<string, string> = { read: "read", write: "write", net: "net", env: "env", run: "run" };

/** What a plugin was refused by the permissions of its worker, with the entry of the manifest that would allow it. Other
 * errors come back as they are. */
export function explainDenial(error: unknown, plugin: string): unknown {
  if (!(error instanceof Error) || !/NotCapable|PermissionDenied/.test(error.name)) return error;
  const asked = /Requires (\w+) access(?: to (.+?))?(?:, (?:run|specify)|$)/.exec(error.message);
  const kind = asked?.[1] ?? "";
  const target = asked?.[2] ?? "";
  const entry = ENTRIES[kind];
  const what = target === "" ? `${kind || "this"} access` : `${kind} access to ${target}`;
  const message = entry === undefined
    ? `Plugin "${plugin}" was refused ${what}: no entry of plugin.json allows that`
    : `Plugin "${plugin}" was refused ${what}: it would need ${
      target || "an entry"
    } in "permissions.${entry}" of its ` +
      "plugin.json";
  return new RpcError(RPC_CODES.capabilityMissing, message, {
    data: { permission: kind, ...(entry && { declare: `plugin.json: permissions.${entry}` }) },
    cause: error,
  });
}

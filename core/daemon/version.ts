import denoConfig from "../../deno.json" with { type: "json" };
import type { VersionInfo } from "../wire/owner.ts";

/** The version of homed. */
export const VERSION: string = denoConfig.version;
/** The plugin protocol that it speaks. */
export const PROTOCOL = 1;
/** The version of the plugin SDK that comes with it. */
export const SDK_VERSION = "1.0.0";
/** The number of the home folder's form. */
export const SCHEMA = 1;

export function versionInfo(): VersionInfo {
  return {
    core: VERSION,
    protocol: PROTOCOL,
    sdk: SDK_VERSION,
    schema: SCHEMA,
    deno: Deno.version.deno,
    target: Deno.build.target,
  };
}

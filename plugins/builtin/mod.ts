/** The plugins that come with homed, in the order in which they start. @module */
import type { BuiltinPlugin } from "../sdk/mod.ts";
import { agentcli } from "./agentcli/mod.ts";
import { cfgmgr } from "./cfgmgr/mod.ts";
import { cmd } from "./cmd/mod.ts";
import { files } from "./files/mod.ts";
import { healthcheck } from "./healthcheck/mod.ts";
import { pluginmgr } from "./pluginmgr/mod.ts";
import { timer } from "./timer/mod.ts";

export const BUILTINS: readonly BuiltinPlugin[] = [timer, files, cmd, agentcli, pluginmgr, cfgmgr, healthcheck];

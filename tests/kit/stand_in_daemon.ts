import type { Home } from "../../core/daemon/home.ts";
import { Daemon, type DaemonOptions } from "../../core/daemon/daemon.ts";

const STAND_IN = new URL("../core/daemon/stand_in.ts", import.meta.url);

/** A daemon whose workers are stand-ins: the real main, socket and settings around them. */
export function standInDaemon(home: Home, options: Partial<DaemonOptions> = {}): Promise<Daemon> {
  return Daemon.start({
    home,
    env: {},
    entries: { kernel: STAND_IN, memory: STAND_IN, lua: STAND_IN },
    adapters: {
      builtinScript: (name) => `-- ${name}`,
      readLuaWasm: () => Promise.resolve(new Uint8Array()),
      findOllama: () => Promise.resolve(undefined),
    },
    ...options,
  });
}

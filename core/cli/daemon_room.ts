import type { Registry } from "../config/mod.ts";
import type { OwnerClient, VersionInfo } from "../wire/owner.ts";
import type { LogRecord } from "../base/log.ts";

/** A home folder, as far as the command line knows it. */
export interface HomePlace {
  readonly root: string;
  readonly config: string;
  readonly lock: string;
  readonly log: string;
  path(...parts: string[]): string;
}

/** A homed that runs in this process. */
export interface RunningDaemon {
  readonly socketPlace: string;
  readonly page: string | null;
  readonly notices: readonly string[];
  /** Settings that name what is not there, with what to do. */
  readonly warnings: readonly { text: string; fix: string }[];
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** A way to talk to the homed of a home. `own`: the one that this process runs for it. */
export interface HomeSession extends AsyncDisposable {
  client: OwnerClient;
  own: RunningDaemon | undefined;
}

export interface DaemonStart<H extends HomePlace = HomePlace> {
  home: H;
  env: Readonly<Record<string, string>>;
  onLog?: (record: LogRecord) => void;
  onStop?: () => void;
  onExhausted?: () => void;
}

/** What the verbs need of the room of the daemon; `main.ts`, which alone knows it, hands it in. */
export interface DaemonRoom<H extends HomePlace = HomePlace> {
  resolveHome(
    choice: { flag?: string | undefined; env: Readonly<Record<string, string>>; os: typeof Deno.build.os },
  ): H;
  /** Makes the folders. */
  prepareHome(home: H): void;
  homeExists(home: H): boolean;
  /** The homed that runs for this home, if one does. */
  joinDaemon(home: H): Promise<OwnerClient | undefined>;
  /** Joins it, or runs one in this process. */
  openSession(options: DaemonStart<H>): Promise<HomeSession>;
  /** Runs one in this process. */
  startDaemon(options: DaemonStart<H>): Promise<RunningDaemon>;
  /** The settings of a home that no homed runs for, under its lock.
   * @throws as `isLocked` tells, when one does */
  openSettings(home: H, env: Readonly<Record<string, string>>): Disposable & { registry: Registry };
  /** Makes the settings of plugins known to a registry that `openSettings` gave. */
  definePluginSettings(home: H, registry: Registry): Promise<void>;
  isLocked(error: unknown): boolean;
  restore(home: H, path: string): Promise<{ files: number; before: string | null }>;
  /** Where systemd is told how the service is. */
  ServiceNotifier: new (env: Readonly<Record<string, string>>) => { ready(): Promise<void>; stopping(): Promise<void> };
  /** Begins this process anew, with the same arguments. */
  restartSelf(args: readonly string[]): void;
  versionInfo(): VersionInfo;
  /** How this program is started again with these arguments. */
  ownCommand(args: readonly string[]): string[];
  /** Runs a program of the system to its end. Never throws. */
  runHostCommand(argv: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Whether some process has the home. */
  isHeld(home: H): boolean;
  /** What makes and packs plugins. */
  pluginAuthor(): Promise<PluginAuthor>;
}

/** `plugin new` and `plugin build`: they work on files and need no running homed. Both answer with a text for the person. */
export interface PluginAuthor {
  create(name: string, lang: string, folder: string): Promise<string>;
  build(folder: string): Promise<string>;
}

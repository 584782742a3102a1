/** What a plugin's process may touch, worked out from its manifest. @module */
import type { PluginManifest, PluginPermissions } from "../../core/wire/mod.ts";
import type { ExecSpec } from "./exec.ts";
import type { PathRule } from "./landlock.ts";
import { expandPath } from "./manifest.ts";
import type { Program } from "./program.ts";

/** Read by every program: libraries, certificates, time zones; never anyone's files. */
const SYSTEM_READ = [
  "/usr",
  "/lib",
  "/lib32",
  "/lib64",
  "/bin",
  "/sbin",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/alternatives",
  "/etc/localtime",
  "/etc/timezone",
  "/etc/ssl",
  "/etc/pki",
  "/etc/ca-certificates",
  "/etc/mime.types",
  "/dev/urandom",
  "/dev/random",
  "/dev/zero",
  "/proc/self",
  "/proc/cpuinfo",
  "/proc/meminfo",
  "/proc/stat",
  "/proc/version",
  "/proc/filesystems",
  "/proc/sys/kernel/osrelease",
  "/proc/sys/vm/overcommit_memory",
  "/sys/devices/system/cpu",
  "/sys/fs/cgroup",
  "/sys/kernel/mm/transparent_hugepage",
];
/** Read besides by what uses the network. */
const NETWORK_READ = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/host.conf",
  "/etc/nsswitch.conf",
  "/etc/gai.conf",
  "/etc/services",
  "/etc/protocols",
  "/run/systemd/resolve",
];
/** The loaders that the kernel runs for a dynamically linked program. */
const LOADERS = [
  "/lib64/ld-linux-x86-64.so.2",
  "/lib/ld-linux-aarch64.so.1",
  "/lib/ld-musl-x86_64.so.1",
  "/lib/ld-musl-aarch64.so.1",
];
const PROGRAM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];
/** Environment that is passed on, besides what the manifest names. */
const ENV_ALLOWED = /^(LANG|LC_[A-Z]+|TZ|SSL_CERT_FILE|SSL_CERT_DIR|SYSTEMROOT|SystemRoot|PATHEXT|COMSPEC)$/;

export interface SandboxOptions {
  manifest: PluginManifest;
  /** The plugin's folder, its data, and the file that is mapped as the segment. */
  dir: string;
  dataDir: string;
  segment: string | undefined;
  program: Program;
  /** homed's environment, from which the allow-list takes. */
  env: Record<string, string>;
}

export interface Sandbox {
  lock: NonNullable<ExecSpec["lock"]>;
  env: Record<string, string>;
}

/** The rules and the environment for one plugin's process. */
export function sandboxFor(options: SandboxOptions): Sandbox {
  const { manifest, dir, dataDir, segment, program, env } = options;
  const permissions = manifest.permissions ?? {};
  const net = permissions.net ?? [];
  const userHome = env.HOME;
  const paths: PathRule[] = [
    ...SYSTEM_READ.map((path) => ({ path, access: "r" }) as const),
    ...(net.length > 0 ? NETWORK_READ.map((path) => ({ path, access: "r" }) as const) : []),
    ...LOADERS.map((path) => ({ path, access: "rx" }) as const),
    { path: "/dev/null", access: "rw" },
    { path: dir, access: "r" },
    { path: dataDir, access: "rw" },
    ...(segment ? [{ path: segment, access: "rw" } as const] : []),
    ...program.reads.map((path) => ({ path, access: "r" }) as const),
    ...program.runs.map((path) => ({ path, access: "rx" }) as const),
    ...(permissions.read ?? []).map((path) => ({ path: expandPath(path, userHome), access: "r" }) as const),
    ...(permissions.write ?? []).map((path) => ({ path: expandPath(path, userHome), access: "rw" }) as const),
  ];
  if (permissions.run === true) {
    for (const path of [...PROGRAM_FOLDERS, dir]) paths.push({ path, access: "rx" });
  } else {
    for (const path of program.declared) paths.push({ path, access: "rx" });
  }
  return {
    lock: { paths, connect: connectPorts(net), bind: bindPorts(net), net: net.length > 0 },
    env: {
      ...pickEnv(env, permissions.env ?? []),
      HOME: dataDir,
      TMPDIR: `${dataDir}/tmp`,
      HOMED_PLUGIN: manifest.name,
    },
  };
}

function pickEnv(env: Record<string, string>, declared: readonly string[]): Record<string, string> {
  const picked = Object.entries(env).filter(([name]) => ENV_ALLOWED.test(name) || declared.includes(name));
  return { PATH: "/usr/local/bin:/usr/bin:/bin", ...Object.fromEntries(picked) };
}

const portOf = (entry: string) => /:(\d+)$/.exec(entry)?.[1];
const hostOf = (entry: string) => entry.replace(/:\d+$/, "");

/** TCP ports to which `net` entries lead; without a port 80 and 443. */
export function connectPorts(net: readonly string[]): number[] | "any" {
  if (net.includes("*")) return "any";
  return [...new Set(net.flatMap((entry) => portOf(entry) ? [Number(portOf(entry))] : [80, 443]))];
}

/** TCP ports to listen on: those of entries that name this machine. */
function bindPorts(net: readonly string[]): number[] | "any" {
  if (net.includes("*")) return "any";
  const local = net.filter((entry) => /^(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\*)$/.test(hostOf(entry)));
  return [...new Set(local.flatMap((entry) => portOf(entry) ? [Number(portOf(entry))] : []))];
}

/** The permissions of the worker in which JS and Lua run. */
export function workerPermissions(
  permissions: PluginPermissions,
  about: { dir: string; dataDir: string; userHome: string | undefined },
): Deno.PermissionOptionsObject {
  const expand = (paths: readonly string[] = []) => paths.map((path) => expandPath(path, about.userHome));
  const net = permissions.net ?? [];
  return {
    read: [about.dir, about.dataDir, ...expand(permissions.read), ...expand(permissions.write)],
    write: [about.dataDir, ...expand(permissions.write)],
    net: net.includes("*") ? true : net.length === 0 ? false : [...net],
    env: permissions.env && permissions.env.length > 0 ? [...permissions.env] : false,
    run: permissions.run === true ? true : permissions.run && permissions.run.length > 0 ? [...permissions.run] : false,
    ffi: false,
    sys: false,
    import: false,
  };
}

/** One thing that is or is not enforced for plugins on this machine. */
export interface Enforcement {
  what: string;
  enforced: boolean;
  detail: string;
}

/** What holds a plugin in here, for the install screen and `doctor`. `landlock`: the kernel's version, 0 for none. */
export function enforcement(kind: "js" | "lua" | "skill" | "native", landlock: number): Enforcement[] {
  const script = kind === "js" || kind === "lua";
  if (kind === "skill") {
    return [{ what: "code", enforced: true, detail: "a skill is text: homed runs none of its scripts by itself" }];
  }
  const by = script ? "the worker's permissions" : "nothing";
  const both = (version: number, what: string) =>
    landlock >= version ? `Landlock (version ${landlock})${script ? " and the worker's permissions" : ""}` : what;
  return [
    { what: "files", enforced: landlock >= 1 || script, detail: both(1, by) },
    { what: "TCP by port", enforced: landlock >= 4 || script, detail: both(4, by) },
    {
      what: "hosts",
      enforced: script,
      detail: script ? "the worker's permissions" : "a native plugin reaches any host on its ports",
    },
    {
      what: "UDP and Unix sockets",
      enforced: landlock >= 1 || script,
      detail: landlock >= 1 ? "a seccomp filter: no Unix sockets, UDP only together with `net`" : by,
    },
    { what: "starting programs", enforced: landlock >= 1 || script, detail: both(1, by) },
    { what: "signals to other programs", enforced: landlock >= 6, detail: both(6, "the system's own rules only") },
    ...(script ? [] : [{
      what: "what plugins share",
      enforced: false,
      detail: "a native plugin can read the shared segment: the messages of running stages, events, large results",
    }]),
    ...(landlock === 0 && !script
      ? [{ what: "everything else", enforced: false, detail: "a native plugin has your rights on this machine" }]
      : []),
  ];
}

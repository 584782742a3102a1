import { dirname, join } from "node:path";
import { HomedError } from "../base/errors.ts";
import { isThere } from "../base/files.ts";
import { reasonOf } from "../base/system_error.ts";
import type { DaemonRoom, HomePlace } from "./daemon_room.ts";
import { EXIT, UsageError } from "./failure.ts";
import { launchdLabel, launchdPlist, scheduledTask, type ServicePlan, systemdUnit } from "./service_files.ts";
import type { VerbCall } from "./verb.ts";

/** How one kind of service manager is used: the file it reads, and the commands for each step. */
interface Manager {
  file?: { path: string; text: string };
  install: string[][];
  uninstall: string[][];
  status: string[];
}

export async function run(call: VerbCall): Promise<number> {
  const room = await call.room();
  const home = await call.home();
  const manager = managerFor(call, planOf(call, room, home));
  switch (call.sub) {
    case "install":
      return await install(call, room, manager);
    case "uninstall":
      return await uninstall(call, room, manager);
    default:
      return await status(call, room, manager);
  }
}

async function install(call: VerbCall, room: DaemonRoom, { file, install: steps }: Manager): Promise<number> {
  const { io, language } = call;
  if (call.flag("--print")) {
    if (file) io.write(`# ${file.path}\n${file.text}\n`);
    for (const step of steps) io.write(`# ${step.join(" ")}\n`);
    return EXIT.done;
  }
  if (file) write(file);
  await carryOut(room, steps);
  io.write(
    language === "zh" ? "homed 将随系统启动，现已启动\n" : "homed starts with the system from now on, and is started\n",
  );
  return EXIT.done;
}

async function uninstall(call: VerbCall, room: DaemonRoom, { file, uninstall: steps }: Manager): Promise<number> {
  const { io, language } = call;
  if (file && !isThere(file.path)) {
    throw new HomedError("no_service", `There is no service at ${file.path}`, {
      fix: "homed service install makes it",
    });
  }
  const [stop, ...rest] = steps;
  // It may have been stopped by hand: removing it goes on.
  if (stop) await room.runHostCommand(stop);
  if (file) remove(file.path);
  await carryOut(room, rest);
  io.write(language === "zh" ? "homed 不再随系统启动\n" : "homed does not start with the system any more\n");
  return EXIT.done;
}

async function status(call: VerbCall, room: DaemonRoom, { file, status: command }: Manager): Promise<number> {
  const { io, json, language } = call;
  const installed = file ? isThere(file.path) : undefined;
  const { code, stdout, stderr } = await room.runHostCommand(command);
  const state = (stdout || stderr).trim().split("\n")[0] ?? "";
  const active = code === 0;
  if (json) io.write(JSON.stringify({ installed: installed ?? active, active, detail: state }) + "\n");
  else io.write(statusText(installed ?? active, { active, state, zh: language === "zh" }) + "\n");
  return active ? EXIT.done : EXIT.failed;
}

function statusText(
  installed: boolean,
  { active, state, zh }: { active: boolean; state: string; zh: boolean },
): string {
  if (!installed) return zh ? "未安装：用 homed service install 安装" : "not installed: homed service install makes it";
  if (active) return zh ? "已安装，正在运行" : "installed and running";
  const detail = state === "" || state === "inactive" ? "" : ` (${state})`;
  return zh
    ? `已安装，没有运行${detail}：用 homed service install 重新启动`
    : `installed, not running${detail}: homed service install starts it again`;
}

function planOf(call: VerbCall, room: DaemonRoom, home: HomePlace): ServicePlan {
  const { env } = call.io;
  let settings: Pick<ServicePlan, "name" | "restartPause" | "watchdog" | "memoryMax"> = {
    name: "homed",
    restartPause: 5000,
    watchdog: 60_000,
    memoryMax: "",
  };
  try {
    using opened = room.openSettings(home, env);
    const { registry } = opened;
    settings = {
      name: registry.text("core.service.name"),
      restartPause: registry.duration("core.service.restart_pause"),
      watchdog: registry.duration("core.service.watchdog"),
      memoryMax: registry.text("core.service.memory_max"),
    };
  } catch (error) {
    // A homed that runs has the settings open; its service's name is the only one that matters here.
    if (!room.isLocked(error)) throw error;
  }
  const command = room.ownCommand(["--home", home.root, "serve"]);
  return {
    ...settings,
    command,
    home: home.root,
    system: call.flag("--system"),
    user: env.SUDO_USER ?? env.USER ?? "root",
  };
}

function managerFor(call: VerbCall, plan: ServicePlan): Manager {
  const { os, env } = call.io;
  const { name, system } = plan;
  const userHome = env.HOME ?? env.USERPROFILE ?? "";
  if (os === "linux") {
    const scope = system ? [] : ["--user"];
    const unit = `${name}.service`;
    const folder = system
      ? "/etc/systemd/system"
      : join(env.XDG_CONFIG_HOME || join(userHome, ".config"), "systemd/user");
    const systemctl = (...words: string[]) => ["systemctl", ...scope, ...words];
    return {
      file: { path: join(folder, unit), text: systemdUnit(plan) },
      install: [systemctl("daemon-reload"), systemctl("enable", "--now", unit)],
      uninstall: [systemctl("disable", "--now", unit), systemctl("daemon-reload")],
      status: systemctl("is-active", unit),
    };
  }
  if (system) throw new UsageError("--system is for systemd", "leave it out: homed runs for this user");
  if (os === "darwin") {
    const path = join(userHome, "Library/LaunchAgents", `${launchdLabel(name)}.plist`);
    return {
      file: { path, text: launchdPlist(plan) },
      install: [["launchctl", "load", "-w", path]],
      uninstall: [["launchctl", "unload", "-w", path]],
      status: ["launchctl", "list", launchdLabel(name)],
    };
  }
  if (os === "windows") {
    return {
      install: [scheduledTask(plan), ["schtasks", "/Run", "/TN", name]],
      uninstall: [["schtasks", "/End", "/TN", name], ["schtasks", "/Delete", "/F", "/TN", name]],
      status: ["schtasks", "/Query", "/TN", name],
    };
  }
  throw new HomedError("no_service", `homed does not know the services of ${os}`, {
    fix: "start `homed serve` yourself",
  });
}

function write({ path, text }: { path: string; text: string }): void {
  try {
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(path, text);
  } catch (error) {
    throw new HomedError("service", `Cannot write ${path}: ${reasonOf(error)}`, {
      fix: "with --system this needs root: sudo homed service install --system",
      cause: error,
    });
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    throw new HomedError("service", `Cannot remove ${path}: ${reasonOf(error)}`, {
      fix: "with --system this needs root: sudo homed service uninstall --system",
      cause: error,
    });
  }
}

async function carryOut(room: DaemonRoom, steps: string[][]): Promise<void> {
  for (const step of steps) {
    const { code, stdout, stderr } = await room.runHostCommand(step);
    if (code === 0) continue;
    throw new HomedError("service", `"${step.join(" ")}" failed: ${(stderr || stdout).trim() || `status ${code}`}`, {
      fix: "run that command yourself to see why",
    });
  }
}

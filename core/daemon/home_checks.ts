import { statfsSync } from "node:fs";
import { messageOf } from "../base/errors.ts";
import { reasonOf } from "../base/system_error.ts";
import type { Check } from "../wire/owner.ts";
import { isThere, removeIfThere } from "../base/files.ts";
import type { Home } from "./home.ts";

/** Free bytes under which a home is in danger. */
const LITTLE_ROOM = 200_000_000;

/** Looks at the home folder itself, whether homed runs or not. */
export function examineHome(home: Home): Check[] {
  return [folder(home), privacy(home), room(home), clock()];
}

function folder(home: Home): Check {
  const name = "home folder";
  const fix = "make it a folder that you may write, or name another with --home";
  const trial = home.path(`run/.trial-${Deno.pid}`);
  try {
    Deno.writeTextFileSync(trial, "x", { mode: 0o600 });
    removeIfThere(trial);
    return { name, ok: true, detail: home.root };
  } catch (error) {
    return { name, ok: false, detail: reasonOf(error), fix };
  }
}

function privacy(home: Home): Check {
  const name = "privacy";
  if (Deno.build.os === "windows") return { name, ok: true, detail: "as the user's own data folder" };
  const open = ["", "config.db", "memory", "run"].map((part) => part === "" ? home.root : home.path(part))
    .filter((path) => isThere(path) && ((Deno.statSync(path).mode ?? 0) & 0o077) !== 0);
  if (open.length === 0) return { name, ok: true, detail: "only you can read it" };
  return { name, ok: false, detail: `others can read ${open.join(", ")}`, fix: `chmod -R go= ${home.root}` };
}

function room(home: Home): Check {
  const name = "disk";
  try {
    const { bavail, bsize } = statfsSync(home.root);
    const free = bavail * bsize;
    const detail = `${Math.round(free / 1_000_000)} MB free`;
    if (free >= LITTLE_ROOM) return { name, ok: true, detail };
    return { name, ok: false, detail, fix: "make room: homed cannot remember what it cannot write" };
  } catch (error) {
    return { name, ok: true, detail: `unknown: ${messageOf(error)}` };
  }
}

function clock(): Check {
  const ok = Date.now() > Date.UTC(2025, 0, 1);
  const detail = new Date().toISOString();
  return ok ? { name: "clock", ok, detail } : { name: "clock", ok, detail, fix: "set the clock: times are stored" };
}

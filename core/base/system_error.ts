import { messageOf } from "./errors.ts";

/** The reasons that a system gives, in words, with what to do about them. By the system's own text. */
const REASONS: Record<string, { reason: string; fix?: string }> = {
  "No such file or directory": { reason: "there is no such file or folder", fix: "look at the path" },
  "Permission denied": { reason: "you may not use it", fix: "run this as its owner, or change its permissions" },
  "Operation not permitted": { reason: "you may not use it", fix: "run this as its owner, or change its permissions" },
  "Is a directory": { reason: "it is a folder, not a file", fix: "move it away, or name another" },
  "Not a directory": { reason: "a part of its path is no folder", fix: "look at the path" },
  "File exists": { reason: "something else of that name is there", fix: "move it away, or name another" },
  "File name too long": { reason: "its name is too long", fix: "use a shorter path" },
  "Read-only file system": { reason: "its file system is read-only", fix: "make it writable, or use another folder" },
  "No space left on device": { reason: "the disk is full", fix: "make room on the disk" },
  "Disk quota exceeded": { reason: "the disk quota is used up", fix: "make room on the disk" },
  "Input/output error": { reason: "the disk cannot be read or written", fix: "look at the disk: homed doctor" },
  "Too many open files": { reason: "too many files are open", fix: "raise the limit of open files (ulimit -n)" },
  "Too many levels of symbolic links": { reason: "its links lead in a circle", fix: "look at the path" },
  "database or disk is full": { reason: "the disk is full", fix: "make room on the disk" },
  "disk I/O error": {
    reason: "the disk is full or broken",
    fix: "make room on the disk: homed cannot keep what it cannot write",
  },
  "attempt to write a readonly database": { reason: "it may only be read", fix: "change its permissions" },
};

/** A part of homed has no right to it. */
const REFUSED = {
  reason: "it is not a place for the memory",
  fix: "set core.memory.* and core.knowledge.path to folders of their own: homed config list core.memory",
};

const UNOPENED = { reason: "the database cannot be opened", fix: "look at the path and its permissions" };

/** An error of the system as words for the person: which path, why, and what to do; undefined for any other error. */
export function systemError(error: unknown): { path?: string; reason: string; fix?: string } | undefined {
  const text = messageOf(error);
  const system = /^(.+?) \(os error \d+\)(?::? (?:\w+ )?'([^']*)'(?: -> '([^']*)')?)?/.exec(text);
  const refused = /^Requires (?:read|write|read and write) access to "([^"]+)"/.exec(text);
  if (refused) return { path: refused[1]!, ...REFUSED };
  const unopened = /^unable to open database file(?:: (.+))?$/.exec(text);
  if (unopened) return { ...UNOPENED, ...(unopened[1] !== undefined && { path: unopened[1] }) };
  const known = REASONS[system?.[1] ?? text];
  if (!known) return undefined;
  const path = system?.[3] ?? system?.[2];
  return { ...known, ...(path !== undefined && { path }) };
}

/** Why something failed: a system's reason in words, else the error's own message. */
export function reasonOf(error: unknown): string {
  return systemError(error)?.reason ?? messageOf(error);
}

import type { Permission, ProbePlan, ProbeResult } from "../wire/memory.ts";

/** Finds out what this thread may really do by trying one operation of every kind, none of which changes anything.
 * `permissions.query` is not asked: in a worker it says "prompt" where the operation is refused. "granted" is what
 * could be done with a target that no plan names; a list holds the targets of the plan that were allowed. */
export async function probe(plan: ProbePlan): Promise<ProbeResult> {
  return {
    read: await limited(canRead, ROOT, plan.read),
    write: await limited(canWrite, ROOT, plan.write),
    net: await limited(canConnect, nowhere(plan.net), plan.net),
    run: canSignal() ? "granted" : "denied",
    ffi: canLoad() ? "granted" : "denied",
    env: await allowed(() => Deno.env.has("PATH")) ? "granted" : "denied",
    sys: await allowed(() => Deno.osRelease()) ? "granted" : "denied",
    import: canImport() ? "granted" : "denied",
  };
}

/** An address that no plan names and nobody listens at. */
function nowhere(targets: string[]): string {
  for (let port = 1;; port++) if (!targets.includes(`127.0.0.1:${port}`)) return `127.0.0.1:${port}`;
}

const ROOT = Deno.build.os === "windows" ? "C:\\" : "/";
/** Milliseconds after which a connection that is still being made counts as allowed. */
const CONNECT_WAIT = 250;

async function limited(
  can: (target: string) => Promise<boolean>,
  anywhere: string,
  targets: string[],
): Promise<Permission> {
  if (await can(anywhere)) return "granted";
  const found: string[] = [];
  for (const target of targets) if (await can(target)) found.push(target);
  return found.length === 0 ? "denied" : found;
}

/** Whether the runtime let the operation through; how it ended after that does not matter. */
async function allowed(operation: () => unknown): Promise<boolean> {
  try {
    await operation();
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotCapable);
  }
}

const canRead = (path: string) => allowed(() => Deno.lstatSync(path));

/** Cuts a file that is not there, in a folder that is not there. */
const canWrite = (path: string) =>
  allowed(() => Deno.truncateSync(`${path}${path.endsWith(SEPARATOR) ? "" : SEPARATOR}.homed-probe-none/none`));
const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

async function canConnect(target: string): Promise<boolean> {
  const at = target.lastIndexOf(":");
  const hostname = target.slice(0, at).replace(/^\[|\]$/g, "");
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), CONNECT_WAIT);
  try {
    return await allowed(async () => {
      const connection = await Deno.connect({ hostname, port: Number(target.slice(at + 1)), signal: stop.signal });
      connection.close();
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Signalling asks for the right to run programs; no process has this id. */
function canSignal(): boolean {
  try {
    Deno.kill(0x3fffffff, "SIGTERM");
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotCapable);
  }
}

function canLoad(): boolean {
  try {
    Deno.dlopen(`${ROOT}homed-probe-none.so`, {}).close();
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotCapable);
  }
}

/** Tries to start a worker that may import code from the network: a thread cannot give what it does not have. The
 * worker's own code is empty, so nothing is fetched. (Importing from an address here would print the refusal.) */
function canImport(): boolean {
  try {
    new Worker("data:text/javascript,", {
      type: "module",
      deno: { permissions: { import: ["probe.invalid:443"] } },
    }).terminate();
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotCapable);
  }
}

/** Takes out of a worker's globals what would make code of a text, or reach round its permissions. Called once, before a
 * plugin's code is there. The lexer refuses such code by its looks; this refuses it whatever it looks like. */
export function harden(): void {
  const refuse = (what: string) =>
    function (): never {
      throw new TypeError(`Plugins cannot use ${what}`);
    };
  const refused = refuse("code made from a text");
  refused.prototype = Function.prototype;
  for (const sample of [function () {}, async function () {}, function* () {}, async function* () {}]) {
    fix(Object.getPrototypeOf(sample), "constructor", refused);
  }
  const scope = globalThis as unknown as Record<string, unknown>;
  fix(scope, "Function", refused);
  fix(scope, "eval", refused);
  for (const name of ["Worker", "SharedWorker", "importScripts"]) fix(scope, name, refuse(name));
  // Node's `process` gives built-in modules by name, `createRequire` and `worker_threads` among them.
  for (const name of ["process", "require", "global", "Buffer"]) {
    if (name in scope) fix(scope, name, undefined);
  }
}

function fix(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: false, configurable: false, enumerable: false });
}

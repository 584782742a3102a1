/** homed: reads the command line and hands over to one function per verb. @module */

/** `homed --version` is asked often and by machines: it loads nothing else. */
if (Deno.args.length === 1 && Deno.args[0] === "--version") {
  const { VERSION } = await import("./core/daemon/version.ts");
  console.log(`homed ${VERSION}`);
} else if (Deno.args[0] === "__exec") {
  // homed starts the programs of plugins through itself, so that they are locked in before they begin.
  const { runExec } = await import("./plugins/host/exec.ts");
  Deno.exit(runExec(Deno.args.slice(1)));
} else if (Deno.args[0] === "__plugin-host") {
  const { runPluginHost } = await import("./plugins/host/plugin_host.ts");
  Deno.exit(await runPluginHost(Deno.args.slice(1)));
} else {
  const { processIo, runCommandLine } = await import("./core/cli/mod.ts");
  const code = await runCommandLine(Deno.args, { io: processIo(), room: () => import("./core/daemon/mod.ts") });
  Deno.exit(code);
}

/** homed: reads the command line and hands over to one function per verb. @module */

/** `homed --version` is asked often and by machines: it loads nothing else. */
if (Deno.args.length === 1 && Deno.args[0] === "--version") {
  const { VERSION } = await import("./core/daemon/version.ts");
  console.log(`homed ${VERSION}`);
} else {
  const { processIo, runCommandLine } = await import("./core/cli/mod.ts");
  const code = await runCommandLine(Deno.args, { io: processIo(), room: () => import("./core/daemon/mod.ts") });
  Deno.exit(code);
}

import { ownCommand, restartSelf } from "../../../plugins/host/reexec.ts";

/** Begins itself anew once, and says each time who it is and what it was told. */
console.log(JSON.stringify({ pid: Deno.pid, args: Deno.args }));
if (Deno.args.length < 2) restartSelf(ownCommand([...Deno.args, "again"]));

/** A homed to be killed: runs a plugin with a grandchild and says their ids. */
import { raw, testHost } from "./kit.ts";

const test = await testHost({ plugins: { "raw-fork": raw({ run: true }) } });
const { result: grandchild } = await test.tool("raw-fork_run");
console.log(JSON.stringify({ pid: test.info("raw-fork").pid, grandchild }));

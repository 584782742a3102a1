/** Loaded before every test: properties run with the seed that `HOMED_TEST_SEED` names, so that a run can be repeated and
 * one machine's check does not differ from another's. Without it each run tries other values. @module */
import fc from "fast-check";

const seed = Deno.env.get("HOMED_TEST_SEED");
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

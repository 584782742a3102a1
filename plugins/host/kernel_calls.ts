import type { Handlers, MainMethods, PluginCall } from "../../core/wire/mod.ts";
import type { PluginConnection } from "./connection.ts";
import type { HostLimits } from "./ports.ts";
import type { Skills } from "./skills.ts";
import type { Stages } from "./stages.ts";

/** Milliseconds a cleaner may take: it stands in the way of a turn. */
const CLEANER_TIMEOUT_MS = 5000;

/** What a call of the kernel needs of the host. */
export interface KernelCallPorts {
  stages: Stages;
  skills: Skills;
  limits(): HostLimits;
  /** The running plugin of this name.
   * @throws when there is none, or it does not run */
  connectionOf(owner: string): Promise<PluginConnection>;
  reload(name: string): Promise<{ state: string }>;
}

/** What `main` serves to the kernel on behalf of plugins. */
export function kernelCalls(
  { stages, skills, limits, connectionOf, reload }: KernelCallPorts,
): Handlers<Pick<MainMethods, Exclude<PluginCall, "approval.detail">>> {
  const grace = () => limits().cancel_grace;
  return {
    "tool.invoke": async ({ owner, name, args, turn, deadline_ms }, { signal }) => {
      const connection = await connectionOf(owner);
      const options = { signal, timeout: deadline_ms, grace: grace(), what: `tool "${name}"` };
      return await connection.invoke("tool.invoke", { name, args, turn, deadline_ms }, options);
    },
    "stage.invoke": ({ stage, ctx, owners }, { signal }) => stages.run({ stage, ctx, owners, signal }),
    "output.invoke": async ({ owner, channel, payload, meta, type }, { signal }) => {
      const connection = await connectionOf(owner);
      const timeout = limits().stage_timeout * 3;
      const options = { signal, timeout, grace: grace(), what: `channel "${channel}"` };
      return await connection.invoke("output.invoke", { channel, payload, meta, type }, options);
    },
    "cleaner.invoke": async ({ owner, name, text }, { signal }) => {
      const connection = await connectionOf(owner);
      const options = { signal, timeout: CLEANER_TIMEOUT_MS, grace: grace(), what: `cleaner of "${name}"` };
      return await connection.invoke("cleaner.invoke", { name, text }, options);
    },
    "plugin.reload": ({ name }) => reload(name),
    "skill.activate": async ({ name }) => ({ text: await skills.activate(name) }),
    "skill.file": async ({ name, path }) => ({ text: await skills.file(name, path) }),
  };
}

/** What a registry reads of the environment. */
export type Environment = Readonly<Record<string, string>>;

const PREFIX = "HOMED_";

/** The settings that variables override, by key, as texts: `HOMED_CORE__AGENT__WORKDIR` is `core.agent.workdir`. Names that are no setting's are left out (`HOMED_HOME`). */
export function overridesIn(env: Environment): Map<string, { variable: string; text: string }> {
  const found = new Map<string, { variable: string; text: string }>();
  for (const [variable, text] of Object.entries(env)) {
    if (!/^HOMED_(CORE|PLUGIN)__/i.test(variable)) continue;
    found.set(variable.slice(PREFIX.length).toLowerCase().replaceAll("__", "."), { variable, text });
  }
  return found;
}

import { fence } from "../../llm/fence.ts";
import type { Kernel } from "../kernel.ts";
import { builtin, text, type Tool } from "./tool.ts";

/** The skills' tools; none when there are no skills. */
export function skillTools(kernel: Kernel): Tool[] {
  const names = kernel.settings.skills.map(({ name }) => name);
  if (names.length === 0) return [];
  const name = { type: "string", enum: names };
  return [
    builtin(
      "skill_use",
      "Take up a skill: its instructions then stand in the system prompt. 启用技能。",
      { properties: { name }, required: ["name"] },
      async (args, { signal }) => {
        const skill = String(args.name);
        if (kernel.skills.has(skill)) return { content: `The skill "${skill}" is in use already.`, summary: skill };
        const { text } = await kernel.host.call("skill.activate", { name: skill }, { signal });
        kernel.useSkill(skill, text);
        return {
          content: `The skill "${skill}" is in use: its instructions stand in the system prompt now. Follow them.`,
          summary: skill,
        };
      },
    ),
    builtin(
      "skill_read",
      "Read a file that comes with a skill, by its path in the skill's folder. 读取技能附带的文件。",
      { properties: { name, path: text }, required: ["name", "path"] },
      async (args, { signal }) => {
        const params = { name: String(args.name), path: String(args.path) };
        const { text } = await kernel.host.call("skill.file", params, { signal });
        return { content: fence(`skill ${params.name}/${params.path}`, text), summary: params.path };
      },
    ),
  ];
}

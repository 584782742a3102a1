import { builtin, data, text, type Tool } from "./tool.ts";

/** Persons and how they are related. */
export const socialTools: Tool[] = [
  builtin(
    "person_query",
    "What is known of a person: aliases, traits, relations. Without a name: everybody known. 查询人物。",
    { properties: { name: text } },
    async (args, { kernel, signal }) => {
      if (args.name === undefined) {
        const result = await kernel.memory.call("social.list", {}, { signal });
        return data("person_query", result, `${result.persons.length} persons`);
      }
      const result = await kernel.memory.call("social.get_person", { name: String(args.name) }, { signal });
      return data("person_query", result, result.person ? result.person.name : "nobody of that name");
    },
  ),
  builtin(
    "person_set_trait",
    "Note a trait of a person (birthday, job, temper, …). 记录人物特征。",
    { properties: { name: text, trait: text, value: text }, required: ["name", "trait", "value"] },
    async (args, { kernel, signal }) => {
      const params = args as { name: string; trait: string; value: string };
      await kernel.memory.call("social.set_trait", params, { signal });
      return data("person_set_trait", { set: params }, `${params.name}: ${params.trait}`);
    },
  ),
  builtin(
    "person_relate",
    "Note how two persons are related (from is relation of to). 记录人物关系。",
    { properties: { from: text, relation: text, to: text }, required: ["from", "relation", "to"] },
    async (args, { kernel, signal }) => {
      const params = args as { from: string; relation: string; to: string };
      await kernel.memory.call("social.relate", params, { signal });
      return data("person_relate", { related: params }, `${params.from} ${params.relation} ${params.to}`);
    },
  ),
];

/** Writes the tables of `docs/protocol.md` and `docs/plugins/README.md` from what the code does: `deno run -A plugins/host/protocol_doc.ts`. @module */
import * as z from "zod";
import { CAPABILITIES, CoreParams, RPC_CODES } from "../../core/wire/mod.ts";
import { METHODS } from "./methods.ts";
import { CAPABILITY_WORDS } from "./package.ts";
import { CTX_CAPACITY, HEADER_WORDS, RING_CAPACITY, SEGMENT_BYTES, SLICES_BYTES } from "./segment_layout.ts";

/** The documents with generated parts. */
export const GENERATED = ["protocol.md", "plugins/README.md"] as const;

/** The document with its generated parts made anew: what stands between `<!-- NAME -->` and `<!-- end -->`. */
export function renderProtocol(text: string): string {
  const parts: Record<string, string> = {
    methods: methodTables(),
    codes: codeTable(),
    segment: segmentTable(),
    capabilities: capabilityTable(),
  };
  return text.replace(
    /<!-- (methods|codes|segment|capabilities) -->[\s\S]*?<!-- end -->/g,
    (_all, name: string) =>
      `<!-- ${name} -->\n<!-- deno-fmt-ignore-start -->\n\n${parts[name]}\n<!-- deno-fmt-ignore-end -->\n<!-- end -->`,
  );
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function methodTables(): string {
  const groups = [null, ...CAPABILITIES];
  return groups.map((group) => {
    const rows = METHODS.filter(({ capability }) => capability === group);
    const title = group === null ? "Always" : group === "host" ? "Built-in plugins alone" : `Capability \`${group}\``;
    const lines = rows.map(({ method, description, example }) =>
      `| \`${method}\` | ${cell(fields(method))} | ${cell(description)} | \`${cell(JSON.stringify(example))}\` |`
    );
    return `### ${title}\n\n| method | params | does | example |\n| --- | --- | --- | --- |\n${lines.join("\n")}\n`;
  }).join("\n");
}

/** Names of a method's params, `?` behind those that may be left out. */
function fields(method: keyof typeof CoreParams): string {
  const schema = z.toJSONSchema(CoreParams[method], { io: "input", unrepresentable: "any" });
  const required = new Set(schema.required ?? []);
  const names = Object.keys(schema.properties ?? {}).map((name) => required.has(name) ? `\`${name}\`` : `\`${name}?\``);
  return names.length === 0 ? "none" : names.join(" ");
}

/** What a manifest may name, for plugin authors. */
function capabilityTable(): string {
  const lines = CAPABILITIES.filter((name) => name in CAPABILITY_WORDS).map((name) => {
    const methods = METHODS.filter(({ capability }) => capability === name).map(({ method }) => `\`${method}\``);
    return `| \`${name}\` | ${CAPABILITY_WORDS[name]} | ${methods.join(" ")} |`;
  });
  return `| capability | lets it | methods |\n| --- | --- | --- |\n${lines.join("\n")}\n`;
}

function codeTable(): string {
  const lines = Object.entries(RPC_CODES).map(([name, code]) => `| ${code} | ${name} |`);
  return `| code | name |\n| --- | --- |\n${lines.join("\n")}\n`;
}

function segmentTable(): string {
  const words = HEADER_WORDS.map(([name, holds], index) => `| ${index} | \`${name}\` | ${cell(holds)} |`);
  const sizes = `The segment has ${SEGMENT_BYTES} bytes: a page of header, two context buffers of ${CTX_CAPACITY}, ` +
    `${SLICES_BYTES} for slices, and the ring of ${RING_CAPACITY} with its header. Pages that nobody touched take no memory.`;
  return `| word | name | holds |\n| --- | --- | --- |\n${words.join("\n")}\n\n${sizes}\n`;
}

if (import.meta.main) {
  for (const path of GENERATED) {
    const file = new URL(`../../docs/${path}`, import.meta.url);
    await Deno.writeTextFile(file, renderProtocol(await Deno.readTextFile(file)));
  }
}

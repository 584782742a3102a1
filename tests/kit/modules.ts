/** The modules of the rooms and what they import, read from their text: `deno info` does not follow `new Worker(…)`, and
 * a test wants to see what is written, not what is loaded. @module */
const ROOT = new URL("../../", import.meta.url);

export interface Module {
  /** Relative to the root: "core/kernel/turn.ts". */
  path: string;
  /** The text without comments. */
  code: string;
  /** The same without what stands in strings and templates either. */
  bare: string;
  /** Specifiers of static and dynamic imports; local ones relative to the root, others as written. */
  imports: string[];
  /** Module files it names with `new URL("./x.ts", import.meta.url)`: workers. */
  workers: string[];
}

/** Every TypeScript module below `rooms`, by path. */
export function readModules(rooms: string[] = ["core", "memory", "plugins", "adapters"]): Map<string, Module> {
  const modules = new Map<string, Module>();
  for (const room of rooms) {
    for (const path of filesBelow(room)) modules.set(path, parse(path, Deno.readTextFileSync(new URL(path, ROOT))));
  }
  return modules;
}

export function readModule(path: string): Module {
  return parse(path, Deno.readTextFileSync(new URL(path, ROOT)));
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(new URL(`${folder}/`, ROOT))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* filesBelow(path);
    else if (path.endsWith(".ts")) yield path;
  }
}

function parse(path: string, text: string): Module {
  const { code, bare } = strip(text);
  const resolve = (specifier: string) =>
    specifier.startsWith(".")
      ? decodeURIComponent(new URL(specifier, new URL(path, ROOT)).pathname.slice(ROOT.pathname.length))
      : specifier;
  const imports = [
    ...code.matchAll(/(?:^|[;\n}])\s*(?:import|export)\s+(?:type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?"([^"\n]+)"/g),
    ...code.matchAll(/\bimport\(\s*"([^"\n]+)"\s*\)/g),
  ].map(([, specifier]) => resolve(specifier!));
  const workers = [...code.matchAll(/new URL\(\s*"(\.[^"]+\.ts)",\s*import\.meta\.url,?\s*\)/g)].map(([, s]) =>
    resolve(s!)
  );
  return { path, code, bare, imports: [...new Set(imports)], workers };
}

/** Takes comments, then also the insides of strings, out of TypeScript. Regular expressions are told from divisions by
 * what stands before them. */
function strip(text: string): { code: string; bare: string } {
  let code = "", bare = "", last = "";
  const templates: number[] = [];
  let depth = 0;
  for (let i = 0; i < text.length;) {
    const two = text.slice(i, i + 2);
    const one = text[i]!;
    if (two === "//") i = text.indexOf("\n", i) === -1 ? text.length : text.indexOf("\n", i);
    else if (two === "/*") i = text.indexOf("*/", i + 2) + 2 || text.length;
    else if (one === '"' || one === "'" || one === "`" || (one === "}" && templates.at(-1) === depth)) {
      const isTemplate = one === "`" || one === "}";
      if (one === "}") templates.pop();
      const end = isTemplate ? "`" : one;
      let j = i + 1;
      while (j < text.length && text[j] !== end && !(isTemplate && text.startsWith("${", j))) {
        j += text[j] === "\\" ? 2 : 1;
      }
      const opens = isTemplate && text.startsWith("${", j);
      if (opens) templates.push(depth);
      const stop = opens ? j + 2 : j + 1;
      code += text.slice(i, stop);
      bare += opens ? '"" + (' : one === "}" ? ') + ""' : '""';
      last = opens ? "(" : '"';
      i = stop;
    } else if (one === "/" && !/[\w$)\]"]/.test(last)) {
      let j = i + 1, inClass = false;
      while (j < text.length && (inClass || text[j] !== "/")) {
        if (text[j] === "[") inClass = true;
        if (text[j] === "]") inClass = false;
        j += text[j] === "\\" ? 2 : 1;
      }
      code += text.slice(i, j + 1);
      bare += "/./";
      last = "/";
      i = j + 1;
    } else {
      if (one === "{") depth++;
      if (one === "}") depth--;
      code += one;
      bare += one;
      if (!/\s/.test(one)) last = one;
      i++;
    }
  }
  return { code, bare };
}

import assert from "node:assert/strict";
import { checkScript } from "../../../plugins/host/script/js_check.ts";
import { lex } from "../../../plugins/host/script/js_lexer.ts";

const REFUSED = [
  `import("./x.js")`,
  `import ("./x.js")`,
  `import/* */("./x.js")`,
  `import\n// x\n("./x.js")`,
  `await import("./config.json", { with: { type: "json" } })`,
  `import.source("./x.wasm")`,
  `import x from "./x.js"`,
  `import "node:fs"`,
  `import * as fs from "node:fs"`,
  `export * from "./x.js"`,
  `export { a } from "./x.js"`,
  `export * as a from "./x.js"`,
  `eval("1")`,
  `(0, eval)("1")`,
  `ev\\u0061l("1")`,
  `\\u{65}val("1")`,
  `globalThis.eval("1")`,
  `new Function("return 1")`,
  `Function("return 1")()`,
  `(() => {}).constructor("return 1")()`,
  `(async () => {})?.constructor("return 1")()`,
  `new Worker("data:text/javascript,1", { type: "module" })`,
  `const W = Worker`,
  `self.Worker`,
  `process.getBuiltinModule("node:worker_threads")`,
  `createRequire(import.meta.url)`,
  `require("node:fs")`,
  "`${import('./x.js')}`",
  "`a ${`b ${eval('1')}`}`",
  `x = {} / "/" + import("y") + "/"`,
  `a.if(b) / "/" + import("y") + "/"`,
  `for await (const a of b) /"/.test(import("y"))`,
  `let of = 4; of / "/" + import("y") + "/"`,
  `if (a) /"/.test(import("y")) //"`,
  `/* " */ import("y") /* " */`,
  `"\\\n"; import("y")`,
  `"unclosed`,
  "`unclosed ${",
  `/* unclosed`,
  `(]`,
];

const TAKEN = [
  `export default { start(sdk) { sdk.log.info("import('x') eval new Worker"); } };`,
  'const a = `import("x") ${1 + 2} eval`;',
  `// import("x")\n/* eval("1") */ const a = 1;`,
  `const r = /import\\("x"\\)/; const s = /[/"]eval/g.test("x");`,
  `const o = { import: 1 }; o.import; o.import("x");`,
  `class A { constructor() { this.constructor.name; } }`,
  `const x = a / b / c; const y = (a) / 2; const z = a[0] / 2 + "x";`,
  `if (a) { } /b/.test(c);`,
  `const u = import.meta.url;`,
  `const from = "x"; export { from }; const m = { from: "y" };`,
  `x instanceof Function`,
  `#!/usr/bin/env node\nexport default 1;`,
  `return_ = a++ / 2; const n = 1_000n / 2n; const h = 0xff / .5e3;`,
];

Deno.test("checkScript() refuses every way to other code", () => {
  for (const text of REFUSED) {
    assert.throws(() => checkScript(text), (error: { code: string }) => error.code === "refused_code", text);
  }
});

Deno.test("checkScript() takes strings, comments, regular expressions and properties for what they are", () => {
  for (const text of TAKEN) assert.doesNotThrow(() => checkScript(text), text);
});

Deno.test("checkScript() names the line and the reason", () => {
  assert.throws(() => checkScript("const a = 1;\n\neval('1');"), /line 3: `eval` makes code of a text/);
});

Deno.test("lex() tells names in templates from text", () => {
  const names = lex("`no ${yes + `no ${yes2}`} no` + yes3").filter(({ kind }) => kind === "name").map(({ text }) =>
    text
  );
  assert.deepEqual(names, ["yes", "yes2", "yes3"]);
});

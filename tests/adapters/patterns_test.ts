import assert from "node:assert/strict";
import fc from "fast-check";
import { LuaFactory } from "wasmoon";
import { compilePattern, findPattern } from "../../adapters/patterns.ts";
import { PATTERNS_LUA } from "../../adapters/patterns_lua.ts";

const encoder = new TextEncoder();

/** Pieces that patterns are made of, so that most of what is made is a pattern. */
const piece = fc.oneof(
  fc.constantFrom("a", "b", ".", "%a", "%d", "%s", "%W", "%.", "[ab]", "[^a]", "[a-c%d]", "[]]", "[%]x]", "[a-]", "x"),
);
const item = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(piece, fc.constantFrom("", "", "*", "+", "-", "?")).map(([a, b]) => a + b) },
  { weight: 2, arbitrary: piece.map((inner) => `(${inner}*)`) },
  { weight: 1, arbitrary: fc.constantFrom("()", "%b()", "%f[%w]", "%1", "(", ")", "%", "[a", "$", "^") },
);
const pattern = fc.tuple(fc.constantFrom("", "", "^"), fc.array(item, { maxLength: 5 }), fc.constantFrom("", "", "$"))
  .map(([head, items, tail]) => head + items.join("") + tail);
const subject = fc.string({
  unit: fc.constantFrom("a", "b", "c", "x", "1", " ", "(", ")", ".", "]", "é"),
  maxLength: 14,
});

/** A plain Lua with its own pattern functions, and the limited ones beside them; the host's matcher answers everything, as
 * no pattern is thought quick. */
async function twoLuas() {
  const engine = await new LuaFactory(new URL("glue.wasm", import.meta.resolve("wasmoon")).pathname).createEngine();
  engine.global.set("host_spend", () => undefined);
  engine.global.set("host_find", (text: string, source: string, from: number, notTo: number, caret: number) => {
    const found = findPattern(
      compilePattern(encoder.encode(source), caret === 1),
      encoder.encode(text),
      from - 1,
      notTo,
      () => {},
    );
    return found?.map((n, i) => i % 2 === 0 ? n + 1 : n < 0 ? -1 : n).join(" ") ?? "";
  });
  await engine.doString(`
    native = { find = string.find, match = string.match, gmatch = string.gmatch, gsub = string.gsub }
    local gm = string.gmatch
    local function host_match(text, pattern, at, not_to, caret)
      local out = {}
      for n in gm(host_find(text, pattern, at, not_to or -1, caret and 1 or 0), "%S+") do out[#out + 1] = math.tointeger(tonumber(n)) end
      return table.unpack(out)
    end
    load([==[${PATTERNS_LUA.replace("local QUICK = 200000", "local QUICK = -1")}]==])(host_spend, host_match)
    limited = { find = string.find, match = string.match, gmatch = string.gmatch, gsub = string.gsub }
    for name, f in pairs(native) do string[name] = f end
    function all(lib, text, pattern)
      local out = {}
      local function add(...) for i = 1, select("#", ...) do out[#out + 1] = tostring((select(i, ...))) end out[#out + 1] = ";" end
      add(lib.find(text, pattern))
      add(lib.find(text, pattern, 3))
      add(lib.find(text, pattern, -2))
      add(lib.match(text, pattern))
      local n = 0
      if pattern:sub(1, 1) ~= "^" then
        for a, b in lib.gmatch(text, pattern) do add(a, b) n = n + 1 if n > 40 then break end end
      end
      add(lib.gsub(text, pattern, "<%0>"))
      add(lib.gsub(text, pattern, "<%1>", 2))
      add(lib.gsub(text, pattern, { a = "A", b = false }))
      add(lib.gsub(text, pattern, function(x) return x == "a" and 1 or nil end))
      return table.concat(out, ",")
    end
    function both(text, pattern)
      local ok1, one = pcall(all, native, text, pattern)
      local ok2, two = pcall(all, limited, text, pattern)
      return tostring(ok1) .. "\\n" .. tostring(one) .. "\\n" .. tostring(ok2) .. "\\n" .. tostring(two)
    end`);
  return engine;
}

Deno.test("the counting matcher finds what Lua's own finds, captures and errors included", async () => {
  const engine = await twoLuas();
  const both = engine.global.get("both");
  fc.assert(
    fc.property(subject, pattern, (text, source) => {
      const [ok1, one, ok2, two] = (both(text, source) as string).split("\n");
      // A pattern that is none may be noticed earlier here, never the other way round.
      if (ok1 === "true" && ok2 === "true") {
        assert.equal(two, one, `${JSON.stringify(source)} on ${JSON.stringify(text)}`);
      }
      if (ok1 === "false") assert.equal(ok2, "false", `${JSON.stringify(source)}: ${one} against ${two}`);
      if (ok2 === "false" && ok1 === "true") {
        assert.match(
          two!,
          /malformed|unfinished|invalid|missing/,
          `${JSON.stringify(source)} on ${JSON.stringify(text)}`,
        );
      }
    }),
    { numRuns: 3000 },
  );
  engine.global.close();
});

Deno.test("the counting matcher counts its steps", () => {
  let steps = 0;
  const hard = compilePattern(encoder.encode("a-a-a-a-b"), false);
  assert.throws(() =>
    findPattern(hard, encoder.encode("a".repeat(2000)), 0, -1, (count) => {
      steps += count;
      if (steps > 1_000_000) throw new Error("enough");
    }), /enough/);
});

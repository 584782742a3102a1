import assert from "node:assert/strict";
import fc from "fast-check";
import { LuaLimitError, type LuaLimits, LuaScriptError, LuaVm } from "../../adapters/vm.ts";
import { readLuaWasm } from "../../adapters/wasm.ts";

const wasm = readLuaWasm();

interface TestVm extends Disposable {
  vm: LuaVm;
  /** Runs the body of a function of `text`. */
  run(body: string, text?: string): Promise<string>;
  logged: [string, string][];
}

async function testVm(limits: Partial<LuaLimits> = {}): Promise<TestVm> {
  const logged: [string, string][] = [];
  const vm = await LuaVm.create(wasm, {
    log: (level, text) => logged.push([level, text]),
    http: async (method, url, body) => {
      await Promise.resolve();
      return JSON.stringify({ url, status: 200, body: `${method} ${body}` });
    },
  }, { time: 300, memory: 64 * 1024 * 1024, ...limits });
  return {
    vm,
    logged,
    async run(body, text = "") {
      await vm.load("t", adapter(body));
      return await vm.call("t", "transform_request", text);
    },
    [Symbol.dispose]: () => vm.dead === undefined && vm.close(),
  };
}

const adapter = (body: string) =>
  `local a = {}
   function a.transform_request(text) ${body} end
   function a.transform_response(text) return text end
   return a`;

const same = "return json.encode(json.decode(text))";

Deno.test("json gives any text that JSON.stringify writes back as it was", async () => {
  using lua = await testVm({ time: 20_000 });
  await lua.run(same, "1");
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 6, stringUnit: "grapheme" }), async (value) => {
      // A number by itself has no table beside it that could remember its spelling.
      const text = `[${value}]`;
      assert.equal(await lua.vm.call("t", "transform_request", text), text);
    }),
    { numRuns: 400 },
  );
});

Deno.test("json keeps nulls, order, array-ness, the spelling of numbers and halves of characters", async () => {
  using lua = await testVm();
  const texts = [
    "[]",
    "{}",
    "[null]",
    "[1,null,null]",
    '{"z":null,"a":1,"m":null}',
    "[[],{},[{}]]",
    "1",
    "1.0".replace(".0", ""),
    '{"a":1.0,"b":1e3,"c":-0,"d":12345678901234567890,"e":0.1,"f":1E-7,"g":9007199254740993,"h":1.50}',
    '["\\ud83d"]',
    '"\\ud83d\\udc00x"'.replace("\\udc00", ""),
    '"\\ud83d\\ude00"'.replace("\\ud83d\\ude00", "\ud83d\ude00"),
    '{"\\u0000":"\\u001f\\u007f"}'.replace("\\u007f", "\u007f"),
    '"😀 中文 \\"\\\\ \\n"',
  ];
  await lua.run(same, "1");
  for (const text of texts) assert.equal(await lua.vm.call("t", "transform_request", text), text);
  assert.equal(await lua.vm.call("t", "transform_request", '"\\ud83d\\ude00\\u4e2d\\/"'), '"😀中/"');
});

Deno.test("json.decode reads null as nil, knows an array's length, and fails on what is no JSON", async () => {
  using lua = await testVm();
  const facts = await lua.run(
    `local t = json.decode('{"a":null,"list":[1,null,3,null]}')
     return json.encode({ a = t.a == nil, n = #t.list, first = t.list[1], meta = getmetatable(t.list) == nil })`,
  );
  assert.deepEqual(JSON.parse(facts), { a: true, n: 4, first: 1, meta: true });
  for (
    const bad of ["", "{", "[1,]", '{"a"}', "01", "1.", "+1", "nul", '"\n"', '"\\x"', "[1] 2", "{'a':1}", "NaN", "-"]
  ) {
    const said = await lua.run(`local ok, e = pcall(json.decode, text) return tostring(ok) .. type(e)`, bad);
    assert.equal(said, "falsestring", bad);
  }
});

Deno.test("json.encode writes what a script made: arrays, empty objects, sorted keys, whole floats", async () => {
  using lua = await testVm();
  assert.equal(
    await lua.run(`return json.encode({ b = { 1, 2 }, a = {}, c = 4096 / 2, d = 1 / 3, e = json.array() })`),
    '{"a":{},"b":[1,2],"c":2048,"d":0.3333333333333333,"e":[]}',
  );
  const changed = `local t = json.decode(text) t.gone = nil t.new = 5 t.list[#t.list + 1] = "x" return json.encode(t)`;
  assert.equal(
    await lua.run(changed, '{"z":1.0,"gone":2,"list":[],"n":null}'),
    '{"z":1.0,"list":["x"],"n":null,"new":5}',
  );
  await assert.rejects(lua.run("local t = {} t.t = t return json.encode(t)"), LuaScriptError);
  await assert.rejects(lua.run("return json.encode(print)"), LuaScriptError);
  assert.equal(await lua.run("return json.encode('\\255ok')"), '"\ufffdok"');
});

/** So large that its parts wait to be read. */
const large = (value: unknown) =>
  JSON.stringify({ fill: "x".repeat(2500), value, list: [value, value], last: [value] });

Deno.test("large JSON whose parts were not read, were read or were changed is written as JSON.stringify would", async () => {
  using lua = await testVm({ time: 20_000 });
  // It looks into everything, by every way there is.
  const touched = `
    local ways = {
      function(t) for key, value in pairs(t) do t[key] = value end end,
      function(t) return #t + #t end,
      function(t) return next(t) end,
      function(t) return t[1], t.a, rawget(t, 1) end,
      function(t) return select("#", table.unpack(t)) end,
      function(t) return rawlen(t) end,
      function(t) for i, value in ipairs(t) do rawset(t, i, value) end end,
      function(t) return setmetatable(t, getmetatable(t)) end,
    }
    local turn = 0
    local function look(t)
      if type(t) ~= "table" then return end
      turn = turn + 1
      ways[turn % #ways + 1](t)
      for _, value in pairs(t) do look(value) end
    end
    local t = json.decode(text)
    look(t)
    return json.encode(t)`;
  await lua.run(same, "1");
  await lua.vm.load("touched", adapter(touched));
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 6, stringUnit: "grapheme" }), async (part) => {
      const text = large([JSON.parse(part), "p".repeat(100)]);
      assert.equal(await lua.vm.call("t", "transform_request", text), text);
      assert.equal(await lua.vm.call("touched", "transform_request", text), text);
    }),
    { numRuns: 200 },
  );
  const part = { name: "n", gone: null, list: [1, null, 3], text: "p".repeat(100) };
  const changed = `local t = json.decode(text)
    t.value.name = "new" t.list[2].extra = t.list[1] table.insert(t.last, t.value) t.last[1] = nil
    return json.encode(t)`;
  const renamed = { ...part, name: "new" };
  const expected = { fill: "x".repeat(2500), value: renamed, list: [part, { ...part, extra: part }] };
  const got = JSON.parse(await lua.run(changed, large(part)));
  assert.deepEqual(got, { ...expected, last: [null, renamed] });
});

Deno.test("large JSON that is wrong in a part fails when it is decoded, and unusual spelling is mended as in small", async () => {
  using lua = await testVm();
  for (
    const bad of ["[1,]", '{"a"}', "[01]", "[1.]", '["\\x"]', "[nul]", "[1 2]", '{"a":1,}', "[-]", '["a]', "[[1}]"]
  ) {
    const said = await lua.run(
      `local ok, e = pcall(json.decode, text) return tostring(ok) .. type(e)`,
      `{"fill":"${"x".repeat(2500)}","part":${bad}}`,
    );
    assert.equal(said, "falsestring", bad);
  }
  const pad = "p".repeat(100);
  const text = (part: string) => `{"fill":"${"x".repeat(2500)}","part":${part}}`;
  await lua.run(same, "1");
  for (
    const [part, written] of [
      [`[ 1 , "${pad}" ]`, `[1,"${pad}"]`],
      [`["\\u4e2d\\/","${pad}"]`, `["中/","${pad}"]`],
      [`["\\u0000","${pad}"]`, `["\\u0000","${pad}"]`],
      [`["\\ud83d","${pad}"]`, `["\\ud83d","${pad}"]`],
    ]
  ) assert.equal(await lua.vm.call("t", "transform_request", text(part!)), text(written!));
});

Deno.test("a script finds nothing that reaches out of the machine", async () => {
  using lua = await testVm();
  const names = [
    "io",
    "debug",
    "require",
    "package",
    "dofile",
    "loadfile",
    "os.execute",
    "os.remove",
    "os.getenv",
    "os.exit",
    "os.tmpname",
    "string.dump",
    "js",
  ];
  for (const name of names) {
    assert.equal(await lua.run(`return tostring(load("return _G.${name.replace(".", " and _G.")}")())`), "nil", name);
    const script = `local v = _G for part in ("${name}"):gmatch("[^.]+") do v = v and v[part] end return tostring(v)`;
    assert.equal(await lua.run(script), "nil", name);
  }
  assert.equal(await lua.run(`return tostring(load("return 1 + 1", "x", "t")())`), "2");
  assert.equal(await lua.run(`return tostring(load("\\27Lua", "x", "b"))`), "nil");
  assert.equal(await lua.run(`return tostring(string.find("abc", "b"))`), "2");
});

Deno.test("http_get and http_post are awaited, under pcall and inside gsub too", async () => {
  using lua = await testVm();
  assert.deepEqual(JSON.parse(await lua.run(`return http_get("http://h/")`)), {
    url: "http://h/",
    status: 200,
    body: "GET ",
  });
  assert.match(await lua.run(`local ok, r = pcall(http_post, "http://h/", "B") return r`), /POST B/);
  assert.match(await lua.run(`return (("x"):gsub("x", function() return http_get("http://h/") end))`), /GET/);
});

Deno.test("log and print hand on level and text", async () => {
  using lua = await testVm();
  await lua.run(`log("warn", "careful") print("a", 1)`);
  assert.deepEqual(lua.logged, [["warn", "careful"], ["info", "a\t1"]]);
});

const ENDLESS: Record<string, string> = {
  "a loop": "while true do end",
  "nested pcall loops":
    "while true do pcall(function() while true do pcall(function() while true do end end) end end) end",
  "an error handler that loops": "xpcall(error, function() while true do end end)",
  "a coroutine": "coroutine.wrap(function() while true do end end)()",
  "coroutines in coroutines": "local function f() return coroutine.wrap(f)() end while true do pcall(f) end",
  "a metamethod":
    "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) while true do pcall(function() return t[1] end) end",
  "a closing variable": "local x <close> = setmetatable({}, {__close = function() while true do end end})",
  "find on a hard pattern": `string.find(("a"):rep(3000), ("a-"):rep(12) .. "b")`,
  "match on a hard pattern": `string.match(("a"):rep(3000), (".*"):rep(10) .. "x")`,
  "gmatch on a hard pattern": `for _ in string.gmatch(("a"):rep(3000), ("a*"):rep(10) .. "b") do end`,
  "find as a method": `local s = ("a"):rep(3000) s:find(("a-"):rep(12) .. "b")`,
  "code that was loaded": `load("while true do pcall(load('while true do end')) end")()`,
  "gsub on a hard pattern": `string.gsub(("a"):rep(3000), ("a?"):rep(20) .. ("a-"):rep(10) .. "b", "")`,
  "balanced parentheses": `string.find(("("):rep(60000), "%b()")`,
  "a hard pattern in a loop": `while true do pcall(string.find, ("a"):rep(40), ("a-"):rep(3) .. "b") end`,
  "plain find of long texts": `string.find(("a"):rep(20000000), ("a"):rep(10000000) .. "b", 1, true)`,
  "rep of nothing": `while true do string.rep("", 1e15) end`,
  "sort with a strange order":
    `local t = {} for i = 1, 1e5 do t[i] = i end while true do pcall(table.sort, t, function() return true end) end`,
};

for (const [name, body] of Object.entries(ENDLESS)) {
  Deno.test(`a script is cut off in ${name}`, async () => {
    using lua = await testVm();
    await assert.rejects(lua.run(body), LuaLimitError);
    assert.notEqual(lua.vm.dead, undefined);
    await assert.rejects(lua.run("return text"), LuaLimitError);
  });
}

const REFUSED: Record<string, string> = {
  "a finalizer": "setmetatable({}, {__gc = function() while true do end end})",
  "moving without end": "table.move({}, 1, 2^53, 2)",
  "inserting into a table that claims to be huge":
    "table.insert(setmetatable({}, {__len = function() return 2^53 end}), 1, 1)",
  "removing from one": "table.remove(setmetatable({}, {__len = function() return 2^53 end}), 1)",
  "concatenating one": `table.concat(setmetatable({}, {__index = function() return "" end}), "", 1, 2^53)`,
  "a function that is no text": "return print",
  "yielding out of a transform": "coroutine.yield(1)",
};

for (const [name, body] of Object.entries(REFUSED)) {
  Deno.test(`a script fails, and the machine lives, at ${name}`, async () => {
    using lua = await testVm();
    await assert.rejects(lua.run(body), LuaScriptError);
    assert.equal(await lua.run("return 'alive'"), "alive");
  });
}

Deno.test("a script that fills the memory is cut off", async () => {
  for (
    const body of [
      "local t = {} while true do t[#t + 1] = ('x'):rep(100000) .. #t end",
      "local s = 'x' while true do s = s .. s end",
      "return ('x'):rep(2^40)",
      "local function f() return f() .. f() end return f()",
    ]
  ) {
    using lua = await testVm({ memory: 16 * 1024 * 1024, time: 5000 });
    await assert.rejects(lua.run(body));
    assert.ok(lua.vm.size < 64 * 1024 * 1024, `${lua.vm.size} bytes for ${body}`);
  }
});

Deno.test("a script without the two functions, or with an error in it, does not load, and says why", async () => {
  using lua = await testVm();
  await assert.rejects(lua.vm.load("x", "return 5"), /must return a table/);
  await assert.rejects(lua.vm.load("x", "return {}"), /no function transform_request/);
  await assert.rejects(lua.vm.load("x", "this is no Lua"), /x\.lua:1:/);
  await assert.rejects(lua.vm.load("x", "\u001bLua"), LuaScriptError);
  await assert.rejects(lua.vm.load("x", "while true do end"), LuaLimitError);
});

Deno.test("names of Lua 5.1 that older scripts use are there", async () => {
  using lua = await testVm();
  assert.equal(
    await lua.run(`return unpack({ "a" }) .. table.getn({ 1, 2 }) .. math.pow(2, 3) .. loadstring("return 'z'")()`),
    "a28.0z",
  );
});

-- Tries a plugin's main.lua outside homed, with any Lua 5.4:
--   lua homed_mock.lua main.lua                         what it registers
--   lua homed_mock.lua main.lua tool NAME '{"a": 1}'    calls a tool
--   lua homed_mock.lua main.lua stage NAME '{"final_text": "x"}'
-- Settings come from the environment (HOMED_SETTING_city=Kunming); what the plugin asks of homed is printed and answered
-- with something plausible.

local folder = arg[0]:match("^(.*[/\\])") or ""
function homed_log(level, text) io.stderr:write("[" .. level .. "] " .. text .. "\n") end
-- What `sdk.after` puts off comes at once here, when everything else is done.
local put_off = {}
function homed_after(id, seconds)
  print("after " .. seconds .. " s")
  put_off[#put_off + 1] = id
end

local driver = dofile(folder .. "prelude.lua")
local json = json

local answers = {
  ["core.settings.get"] = function(params) return { value = os.getenv("HOMED_SETTING_" .. params.key) } end,
  ["core.memory.recall"] = function() return { hits = json.array(), entities = json.array(), relations = json.array() } end,
  ["core.memory.commit"] = function(params) return { committed = #params.triples } end,
  ["core.knowledge.search"] = function() return { hits = json.array() } end,
  ["core.io.injectText"] = function() return { turn = "mock" } end,
  ["core.io.injectInterrupt"] = function() return { turn = "mock" } end,
  ["core.events.subscribe"] = function() return { cursor = 0 } end,
  http = function() return { status = 503, body = "the mock has no network" } end,
}

local function drive(entry, params)
  local state = json.decode(driver.begin(entry, json.encode(params)))
  while state.method do
    print(state.method .. " " .. json.encode(state.params))
    local answer = answers[state.method]
    state = json.decode(driver.resume(state.id, json.encode({ result = answer and answer(state.params) or {} })))
  end
  if state.error then
    io.stderr:write("error: " .. state.error .. "\n")
    os.exit(1)
  end
  return state.done
end

local path, what, name, text = arg[1], arg[2], arg[3], arg[4]
if not path then
  io.stderr:write("usage: lua homed_mock.lua main.lua [tool|stage NAME JSON]\n")
  os.exit(2)
end
local file = assert(io.open(path))
drive("load", { text = file:read("a") })
file:close()
drive("start", {})
if what == "tool" then
  print(json.encode(drive("tool", { name = name, args = json.decode(text or "{}"), turn = "mock" })))
elseif what == "stage" then
  print(json.encode(drive("stage", { stage = name, ctx = json.decode(text or "{}") })))
end
for _, id in ipairs(put_off) do drive("after", { id = id }) end
drive("stop", {})

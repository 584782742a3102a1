-- What a Lua plugin has in reach: `sdk`, `json`. Everything that takes time is a request that leaves the coroutine as
-- JSON text and comes back with an answer, so nothing here blocks. `homed_mock.lua` drives the same file outside homed.
-- Returns the two functions that a driver needs: begin(entry, json) and resume(id, json).

local json = {}
local ARRAY = {}

local escapes = {
  ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t",
}

local function quote(text)
  return '"' .. text:gsub('[%c"\\\127]', function(char)
    return escapes[char] or string.format("\\u%04x", char:byte())
  end) .. '"'
end

local function encode(value, depth, out)
  local kind = type(value)
  if depth > 100 then error("json.encode: the value is nested too deep, or contains itself", 0) end
  if kind == "nil" then
    out[#out + 1] = "null"
  elseif kind == "boolean" then
    out[#out + 1] = tostring(value)
  elseif kind == "number" then
    if value ~= value or value == math.huge or value == -math.huge then
      error("json.encode: JSON has no such number", 0)
    end
    out[#out + 1] = math.type(value) == "integer" and tostring(value) or string.format("%.17g", value)
  elseif kind == "string" then
    out[#out + 1] = quote(value)
  elseif kind == "table" then
    local size = #value
    if getmetatable(value) == ARRAY or size > 0 then
      out[#out + 1] = "["
      for index = 1, size do
        if index > 1 then out[#out + 1] = "," end
        encode(value[index], depth + 1, out)
      end
      out[#out + 1] = "]"
    else
      out[#out + 1] = "{"
      local first = true
      for key, item in pairs(value) do
        if not first then out[#out + 1] = "," end
        first = false
        out[#out + 1] = quote(tostring(key)) .. ":"
        encode(item, depth + 1, out)
      end
      out[#out + 1] = "}"
    end
  else
    error("json.encode: a " .. kind .. " has no JSON", 0)
  end
end

function json.encode(value)
  local out = {}
  encode(value, 0, out)
  return table.concat(out)
end

-- Marks a table as a list, also when it is empty.
function json.array(list)
  return setmetatable(list or {}, ARRAY)
end

local unescape = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function decode_string(text, at)
  local parts = {}
  while true do
    local from, to = text:find('^[^"\\]+', at)
    if from then
      parts[#parts + 1] = text:sub(from, to)
      at = to + 1
    end
    local char = text:sub(at, at)
    if char == '"' then return table.concat(parts), at + 1 end
    if char ~= "\\" then error("json.decode: a string is not closed", 0) end
    local kind = text:sub(at + 1, at + 1)
    if kind == "u" then
      local code = tonumber(text:sub(at + 2, at + 5), 16)
      if not code then error("json.decode: a wrong escape", 0) end
      at = at + 6
      if code >= 0xD800 and code < 0xDC00 and text:sub(at, at + 1) == "\\u" then
        local low = tonumber(text:sub(at + 2, at + 5), 16)
        if low and low >= 0xDC00 and low < 0xE000 then
          code = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00)
          at = at + 6
        end
      end
      if code >= 0xD800 and code < 0xE000 then code = 0xFFFD end
      parts[#parts + 1] = utf8.char(code)
    else
      local plain = unescape[kind]
      if not plain then error("json.decode: a wrong escape", 0) end
      parts[#parts + 1] = plain
      at = at + 2
    end
  end
end

local decode_value

local function skip(text, at)
  return text:find("[^ \n\r\t]", at) or #text + 1
end

decode_value = function(text, at, depth)
  if depth > 200 then error("json.decode: the text is nested too deep", 0) end
  at = skip(text, at)
  local char = text:sub(at, at)
  if char == "{" then
    local object = {}
    at = skip(text, at + 1)
    if text:sub(at, at) == "}" then return object, at + 1 end
    while true do
      if text:sub(at, at) ~= '"' then error("json.decode: a key is missing", 0) end
      local key, value
      key, at = decode_string(text, at + 1)
      at = skip(text, at)
      if text:sub(at, at) ~= ":" then error("json.decode: a colon is missing", 0) end
      value, at = decode_value(text, at + 1, depth + 1)
      object[key] = value
      at = skip(text, at)
      char = text:sub(at, at)
      at = skip(text, at + 1)
      if char == "}" then return object, at end
      if char ~= "," then error("json.decode: a comma is missing", 0) end
    end
  elseif char == "[" then
    local list = setmetatable({}, ARRAY)
    at = skip(text, at + 1)
    if text:sub(at, at) == "]" then return list, at + 1 end
    while true do
      list[#list + 1], at = decode_value(text, at, depth + 1)
      at = skip(text, at)
      char = text:sub(at, at)
      at = at + 1
      if char == "]" then return list, at end
      if char ~= "," then error("json.decode: a comma is missing", 0) end
    end
  elseif char == '"' then
    return decode_string(text, at + 1)
  elseif text:sub(at, at + 3) == "true" then
    return true, at + 4
  elseif text:sub(at, at + 4) == "false" then
    return false, at + 5
  elseif text:sub(at, at + 3) == "null" then
    return nil, at + 4
  end
  local digits = text:match("^-?%d+%.?%d*[eE]?[+-]?%d*", at)
  local number = digits and tonumber(digits)
  if not number then error("json.decode: no JSON at " .. at, 0) end
  return math.tointeger(number) and not digits:find("[.eE]") and math.tointeger(number) or number, at + #digits
end

function json.decode(text)
  local value, at = decode_value(text, 1, 0)
  if skip(text, at) <= #text then error("json.decode: something stands behind the value", 0) end
  return value
end

-- Requests to homed.

local function call(method, params)
  if not coroutine.isyieldable() then
    error(method .. " cannot be called while the file is loaded, or inside a callback of a library function", 3)
  end
  local answer = coroutine.yield({ method = method, params = params or {} })
  if answer.error then error(answer.error, 3) end
  return answer.result
end

local tools, stages, outputs, listeners = {}, {}, {}, {}
local pending = {}
local started = false

local sdk = { json = json }

-- Functions may be called with `sdk.f(…)` and with `sdk:f(…)`.
local function method(f)
  return function(first, ...)
    if first == sdk then return f(...) end
    return f(first, ...)
  end
end

local function register(name, params)
  if started then return call(name, params) end
  pending[#pending + 1] = { method = name, params = params }
end

sdk.log = method(function(level, text)
  if text == nil then level, text = "info", level end
  homed_log(tostring(level), type(text) == "string" and text or json.encode(text))
end)

sdk.register_tool = method(function(tool, definition, handler)
  if type(tool) == "string" then
    definition = definition or {}
    tool = {
      name = tool,
      description = definition.description,
      parameters = definition.parameters,
      acts = definition.acts,
      no_memory = definition.no_memory,
      handler = handler or definition.handler,
    }
  end
  if type(tool.handler) ~= "function" then error("register_tool: the tool has no handler", 2) end
  tools[tool.name] = tool.handler
  register("core.tool.register", {
    name = tool.name,
    description = tool.description or "",
    parameters = tool.parameters or { type = "object" },
    acts = tool.acts,
    no_memory = tool.no_memory,
  })
end)

sdk.register_stage = method(function(stage, handler, scope)
  stages[stage] = stages[stage] or {}
  table.insert(stages[stage], handler)
  if #stages[stage] == 1 then register("core.stage.register", { stage = stage, scope = scope }) end
end)

sdk.register_output = method(function(channel, caps, description, handler)
  if type(channel) == "string" then
    channel = { name = channel, caps = caps, description = description, handler = handler }
  end
  outputs[channel.name] = channel.handler
  register("core.output.register", {
    name = channel.name,
    caps = channel.caps or 1,
    description = channel.description or "",
    max_length = channel.max_length,
  })
end)

sdk.register_api = method(function(name, http_method, path)
  register("core.api.register", { name = name, method = http_method, path = path })
end)

sdk.get_setting = method(function(key) return call("core.settings.get", { key = key }).value end)
sdk.set_setting = method(function(key, value) call("core.settings.set", { key = key, value = value }) end)

local function injection(text, channel)
  if type(text) == "table" then return text end
  return { text = text, channel = channel }
end
sdk.inject_text = method(function(text, channel) return call("core.io.injectText", injection(text, channel)) end)
sdk.inject_interrupt = method(function(text, channel)
  return call("core.io.injectInterrupt", injection(text, channel))
end)

sdk.memory = {
  recall = function(query)
    return call("core.memory.recall", type(query) == "table" and query or { query = query })
  end,
  commit = function(triples, sentence)
    if triples.triples then return call("core.memory.commit", triples) end
    return call("core.memory.commit", { triples = triples, sentence_text = sentence })
  end,
}
sdk.knowledge = {
  search = function(query, top) return call("core.knowledge.search", { query = query, top = top }).hits end,
}
sdk.subscribe = method(function(types, handler)
  if type(types) == "string" then types = { types } end
  for _, kind in ipairs(types) do
    listeners[kind] = listeners[kind] or {}
    table.insert(listeners[kind], handler)
  end
  register("core.events.subscribe", { types = types })
end)
local later, last_later = {}, 0
-- Calls `handler` once, `seconds` from now, in a coroutine of its own. It does not outlive the plugin's process.
sdk.after = method(function(seconds, handler)
  last_later = last_later + 1
  later[last_later] = handler
  homed_after(last_later, seconds)
end)
sdk.http = {
  get = function(url, headers) return call("http", { method = "GET", url = url, headers = headers }) end,
  post = function(url, body, headers)
    return call("http", { method = "POST", url = url, body = body, headers = headers })
  end,
}

-- What the driver begins, each in a coroutine of its own.

local plugin
local entries = {}

function entries.load(given)
  local chunk, problem = load(given.text, "@main.lua", "t")
  if not chunk then error(problem, 0) end
  plugin = chunk()
  if type(plugin) ~= "table" or type(plugin.start) ~= "function" then
    error("main.lua must return a table with a function `start`", 0)
  end
  return {}
end

function entries.start()
  plugin.start(sdk)
  for _, one in ipairs(pending) do call(one.method, one.params) end
  pending = {}
  started = true
  return {}
end

function entries.stop()
  if plugin.stop then plugin.stop() end
  return {}
end

function entries.tool(given)
  local handler = tools[given.name]
  if not handler then error('this plugin has no tool "' .. tostring(given.name) .. '"', 0) end
  return { result = handler(given.args, given) }
end

function entries.stage(given)
  local ctx = given.ctx
  for _, handler in ipairs(stages[given.stage] or {}) do
    local changed = handler(ctx)
    if type(changed) == "table" then ctx = changed end
  end
  return { ctx = ctx }
end

function entries.output(given)
  local handler = outputs[given.channel]
  if not handler then error('this plugin has no channel "' .. tostring(given.channel) .. '"', 0) end
  local answer = handler(given.payload, given.meta, given.type)
  if type(answer) == "table" then return answer end
  return { status = answer == false and "failed" or type(answer) == "string" and answer or "sent" }
end

function entries.event(given)
  for _, handler in ipairs(listeners[given.event.type] or {}) do handler(given.event) end
  return {}
end

function entries.after(given)
  local handler = later[given.id]
  later[given.id] = nil
  if handler then handler() end
  return {}
end

local running = {}
local count = 0

local function step(id, thread, ...)
  local ok, value = coroutine.resume(thread, ...)
  if not ok then
    running[id] = nil
    return json.encode({ error = type(value) == "table" and json.encode(value) or tostring(value) })
  end
  if coroutine.status(thread) == "dead" then
    running[id] = nil
    return json.encode({ done = value or {} })
  end
  if type(value) ~= "table" or not value.method then
    running[id] = nil
    return json.encode({ error = "a handler called coroutine.yield outside of a coroutine of its own" })
  end
  return json.encode({ id = id, method = value.method, params = value.params })
end

local function begin(entry, text)
  count = count + 1
  running[count] = coroutine.create(entries[entry])
  return step(count, running[count], json.decode(text))
end

local function resume(id, text)
  return step(id, running[id], json.decode(text))
end

_G.sdk = sdk
_G.json = json
return { begin = begin, resume = resume }

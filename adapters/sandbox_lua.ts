/** What a script finds in the Lua machine: the language's own libraries without everything that reaches out of it or
 * past its limits, the names of Lua 5.1 that older scripts use, `json`, `log`, `http_get` and `http_post`. The count hook
 * sees every Lua instruction but nothing inside a C function, so each C function that can work long for little is
 * wrapped. Its chunk takes the host functions and returns the two entries the host calls. */
export const SANDBOX_LUA = String.raw`
local host_log, host_http, host_spend, host_match, host_span, json_chunk, patterns_chunk = ...
local type, select, error, pcall, tostring, tonumber, next = type, select, error, pcall, tostring, tonumber, next
local rawget, rawlen, getmetatable_raw = rawget, rawlen, getmetatable
local string, table, math, utf8 = string, table, math, utf8
local find, sub, byte, gsub, match, format = string.find, string.sub, string.byte, string.gsub, string.match, string.format
local floor, max = math.floor, math.max
local concat, unpack, load_raw, getmetatable = table.concat, table.unpack, load, getmetatable
local table_insert, table_remove, table_move, table_sort = table.insert, table.remove, table.move, table.sort
local string_rep = string.rep
local log_raw = host_log

local json, safe_setmetatable, safe_getmetatable, force = json_chunk({
  find = find, sub = sub, byte = byte, gsub = gsub, match = match, format = format, char = string.char,
  rep = string_rep, concat = concat, sort = table_sort, utf8char = utf8.char, utf8len = utf8.len,
  mathtype = math.type, tointeger = math.tointeger, huge = math.huge, span = host_span,
})

-- The functions that see past a metatable read first what waits to be read.
local rawset_raw, next_raw, rawget_raw, rawlen_raw = rawset, next, rawget, rawlen
local function rawget(t, key)
  force(t)
  return rawget_raw(t, key)
end
local function rawset(t, key, value)
  force(t)
  return rawset_raw(t, key, value)
end
local function rawlen(t)
  force(t)
  return rawlen_raw(t)
end
local function next(t, key)
  if key == nil then force(t) end
  return next_raw(t, key)
end

patterns_chunk(host_spend, host_match)

-- C loops whose length a caller can choose freely.
local MOST = 10000000
local function few(n, what)
  if type(n) == "number" and n > MOST then error("Cannot " .. what .. ": more than " .. MOST .. " steps", 3) end
end
local function length(t)
  local n = #t
  few(n, "use a table")
  if n > 1000 then host_spend(n) end
  return n
end

function string.rep(s, n, sep)
  if type(s) == "number" then s = tostring(s) end
  if type(s) == "string" and type(n) == "number" and n > 0 then
    local each = #s + (type(sep) == "string" and #sep or 0)
    if each == 0 then return "" end
    host_spend(each * n / 50)
  end
  if sep == nil then return string_rep(s, n) end
  return string_rep(s, n, sep)
end
function table.insert(t, ...)
  if type(t) == "table" and (select("#", ...) > 1 or getmetatable(t) ~= nil) then length(t) end
  return table_insert(t, ...)
end
function table.remove(t, ...)
  if type(t) == "table" and (select("#", ...) > 0 or getmetatable(t) ~= nil) then length(t) end
  return table_remove(t, ...)
end
function table.move(a, from, to, ...)
  if type(from) == "number" and type(to) == "number" and to >= from then
    few(to - from, "move")
    host_spend(to - from)
  end
  return table_move(a, from, to, ...)
end
function table.sort(t, ...)
  if type(t) == "table" then
    local n = length(t)
    host_spend(n * 20)
  end
  return table_sort(t, ...)
end
function table.concat(t, sep, from, to)
  if type(t) == "table" then
    few((to or length(t)) - (from or 1), "concatenate")
    host_spend((to or #t) - (from or 1))
  end
  return concat(t, sep, from, to)
end
table.getn = function(t) return #t end
table.maxn = function(t)
  local most = 0
  for key in next, t do
    if type(key) == "number" and key > most then most = key end
  end
  return most
end

local function describe(level, ...)
  local parts = {}
  for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
  log_raw(tostring(level), concat(parts, "\t"))
end

local adapters = {}
local os_raw = os
local G = {
  _VERSION = _VERSION, assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs, pcall = pcall,
  rawequal = rawequal, rawget = rawget, rawlen = rawlen, rawset = rawset, select = select, tonumber = tonumber,
  tostring = tostring, type = type, xpcall = xpcall,
  setmetatable = safe_setmetatable, getmetatable = safe_getmetatable,
  unpack = unpack,
  collectgarbage = function(what)
    if what == "count" then return collectgarbage("count") end
    return 0
  end,
  print = function(...) describe("info", ...) end,
  log = function(level, ...) describe(level, ...) end,
  coroutine = coroutine, table = table, string = string, math = math, utf8 = utf8,
  os = { time = os_raw.time, clock = os_raw.clock, date = os_raw.date, difftime = os_raw.difftime },
  json = json,
  http_get = function(url) return host_http("GET", tostring(url), ""):await() end,
  http_post = function(url, body) return host_http("POST", tostring(url), tostring(body)):await() end,
}
G._G = G

local function load_text(chunk, name, mode, ...)
  if type(chunk) == "function" then
    local parts = {}
    for piece in chunk do
      if piece == "" then break end
      parts[#parts + 1] = piece
    end
    chunk = concat(parts)
  end
  if select("#", ...) == 0 then return load_raw(chunk, name, "t", G) end
  return load_raw(chunk, name, "t", ...)
end

G.load, G.loadstring = load_text, load_text
string.dump = nil
math.pow = function(x, y) return x ^ y end
math.mod = math.fmod

-- Runs a script and keeps its adapter. Returns its description as JSON.
local function load_adapter(name, text)
  adapters[name] = nil
  local chunk, problem = load_raw(text, "@" .. name .. ".lua", "t", G)
  if not chunk then error(problem, 0) end
  local adapter = chunk()
  if adapter == nil and type(rawget(G, "transform_request")) == "function" then adapter = G end
  if type(adapter) ~= "table" then error(name .. ".lua must return a table, it returned a " .. type(adapter), 0) end
  for _, needed in ipairs({ "transform_request", "transform_response" }) do
    if type(adapter[needed]) ~= "function" then error(name .. ".lua has no function " .. needed, 0) end
  end
  adapters[name] = adapter
  local headers = {}
  if type(adapter.headers) == "table" then
    for key, value in next, adapter.headers do headers[tostring(key)] = tostring(value) end
  end
  local function text_of(field)
    local value = adapter[field]
    if value == nil then return nil end
    return tostring(value)
  end
  local accepts = {}
  if type(adapter.accepts) == "table" then
    for _, what in ipairs(adapter.accepts) do accepts[#accepts + 1] = tostring(what) end
  end
  return json.encode({
    accepts = json.array(accepts), name = text_of("name"), version = text_of("version"), endpoint = text_of("endpoint"),
    stream_endpoint = text_of("stream_endpoint"), headers = headers,
    streams = type(adapter.transform_stream_chunk) == "function",
  })
end

-- Calls one of the adapter's functions with a text. Returns a text.
local function call_adapter(name, method, text)
  local result = adapters[name][method](text)
  if result == nil then return "" end
  if type(result) == "table" then return json.encode(result) end
  if type(result) ~= "string" then error(method .. " must return a string, it returned a " .. type(result), 0) end
  return result
end

return load_adapter, call_adapter
`;

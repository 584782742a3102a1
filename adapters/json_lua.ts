import { JSON_DECODE_LUA } from "./json_decode_lua.ts";
import { JSON_ENCODE_LUA } from "./json_encode_lua.ts";

/** JSON for the Lua machine, in Lua, so that the machine's own limits hold for it. Its chunk takes the library functions
 * as they were before a script could touch them and returns `json`, the two metatable functions that keep its secrets, and
 * what reads a table that waits for it.
 *
 * What a decoded table was (array or object, the order of its keys, nulls, the spelling of unusual numbers) is kept in a
 * weak table on the side, so that encoding what was decoded gives the same text again. A script sees none of it: an array
 * with nulls has a metatable for `#` alone, which `getmetatable` does not show.
 *
 * Large parts of a large text stay text until they are touched, and are written again as they are: most of a request (the
 * tools, long messages) is only handed on. `lib.span` tells where such a part ends. */
export const JSON_LUA = String.raw`
local lib = ...
local find, sub, byte, gsub, match, format = lib.find, lib.sub, lib.byte, lib.gsub, lib.match, lib.format
local char, rep, concat, sort = lib.char, lib.rep, lib.concat, lib.sort
local utf8char, utf8len, mathtype, tointeger = lib.utf8char, lib.utf8len, lib.mathtype, lib.tointeger
local type, tostring, tonumber, next, rawget, rawset, rawlen, error =
  type, tostring, tonumber, next, rawget, rawset, rawlen, error
local setmetatable, getmetatable, pcall = setmetatable, getmetatable, pcall
local huge = lib.huge
local span = lib.span
local MAX_DEPTH = 400
-- A text from this size on has parts that wait to be read, each of at least the other.
local LARGE_TEXT, LARGE_PART = 2000, 100

-- table -> what it was decoded from: the keys of an object in their order, or { array = true }; and nulls, spelled
local kinds = setmetatable({}, { __mode = "k" })
local ARRAY = { array = true }                     -- shared by arrays with nothing else to remember

local function number_text(value)
  if mathtype(value) == "integer" then return format("%d", value) end
  if value ~= value or value == huge or value == -huge then return "null" end
  if value % 1 == 0 and value > -1e15 and value < 1e15 then
    if value == 0 then return "0" end
    return format("%d", value)
  end
  local text = format("%.15g", value)
  if value > -1e-300 and value < 1e-300 then
    -- So near to zero there are fewer digits than that.
    for digits = 1, 15 do
      text = format("%." .. digits .. "g", value)
      if tonumber(text) == value then break end
    end
  end
  if tonumber(text) ~= value then text = format("%.16g", value) end
  if tonumber(text) ~= value then text = format("%.17g", value) end
  return (gsub(text, "e([-+])0+", "e%1"))
end

-- How long an array is: up to its last value or remembered null.
local function array_length(t, kind)
  local last = rawlen(t)
  if kind and kind.nulls then
    for key in next, t do
      if mathtype(key) == "integer" and key > last then last = key end
    end
    for key in next, kind.nulls do
      if key > last then last = key end
    end
  end
  return last
end

local HIDDEN = { __len = function(t) return array_length(t, kinds[t]) end }

-- Of a table that waits to be read: kinds[t] = { raw = its text }. Whatever looks into it reads it first, one level.
local WAITING = {}
local force
${JSON_DECODE_LUA}${JSON_ENCODE_LUA}
local json = {}

function json.decode(text)
  if type(text) ~= "string" then error("JSON: decode wants a string, not a " .. type(text), 2) end
  local value, after = decode_value(text, 1, 0)
  local more, at = skip(text, after)
  if more then fail(text, at, "there is more after the value") end
  return value
end

function json.encode(value)
  out, size = {}, 0
  encode_value(value, 0)
  local text = concat(out, "", 1, size)
  out = {}
  return text
end

-- An empty table that is written as [] (a script's own empty table is written as {}).
function json.array(t)
  t = t or {}
  force(t)
  kinds[t] = ARRAY
  return t
end

-- The functions a script gets in their place: its metatables cannot have a finalizer, which no limit would reach, and do
-- not meet the hidden one.
local function safe_setmetatable(t, meta)
  if type(t) ~= "table" then error("bad argument #1 to 'setmetatable' (table expected)", 2) end
  if type(meta) == "table" and rawget(meta, "__gc") ~= nil then
    error("Cannot set this metatable as it has __gc: finalizers do not run here", 2)
  end
  force(t)
  return setmetatable(t, meta)
end

local function safe_getmetatable(value)
  local meta = getmetatable(value)
  if meta == HIDDEN or meta == WAITING then return nil end
  return meta
end

return json, safe_setmetatable, safe_getmetatable, force
`;

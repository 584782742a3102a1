/** JSON for the Lua machine, in Lua, so that the machine's own limits hold for it. Its chunk takes the library functions
 * as they were before a script could touch them and returns `json`, and the two metatable functions that keep its
 * secrets.
 *
 * What a decoded table was (array or object, the order of its keys, nulls, the spelling of unusual numbers) is kept in a
 * weak table on the side, so that encoding what was decoded gives the same text again. A script sees none of it: an array
 * with nulls has a metatable for `#` alone, which `getmetatable` does not show. */
export const JSON_LUA = String.raw`
local lib = ...
local find, sub, byte, gsub, match, format = lib.find, lib.sub, lib.byte, lib.gsub, lib.match, lib.format
local char, rep, concat, sort = lib.char, lib.rep, lib.concat, lib.sort
local utf8char, utf8len, mathtype, tointeger = lib.utf8char, lib.utf8len, lib.mathtype, lib.tointeger
local type, tostring, tonumber, next, rawget, rawset, rawlen, error =
  type, tostring, tonumber, next, rawget, rawset, rawlen, error
local setmetatable, getmetatable, pcall = setmetatable, getmetatable, pcall
local huge = lib.huge
local MAX_DEPTH = 400

local kinds = setmetatable({}, { __mode = "k" })   -- table -> what it was decoded from
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

local function fail(text, at, what)
  error(format("JSON: %s at byte %d", what, at), 0)
end

local ESCAPES = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function decode_escape(text, at, parts)
  local c = sub(text, at, at)
  local plain = ESCAPES[c]
  if plain then
    parts[#parts + 1] = plain
    return at + 1
  end
  if c ~= "u" then fail(text, at, "there is an unknown escape") end
  local digits = match(text, "^%x%x%x%x", at + 1)
  if not digits then fail(text, at, "\\u is not followed by four digits") end
  local code = tonumber(digits, 16)
  at = at + 5
  if code >= 0xD800 and code < 0xDC00 then
    local low = match(text, "^\\u([dD][c-fC-F]%x%x)", at)
    if low then
      parts[#parts + 1] = utf8char(0x10000 + (code - 0xD800) * 0x400 + tonumber(low, 16) - 0xDC00)
      return at + 6
    end
  end
  if code >= 0xD800 and code < 0xE000 then
    -- Half of a pair is kept as it is: its other half may be in the next chunk of a stream.
    parts[#parts + 1] = char(0xED, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F)
  else
    parts[#parts + 1] = utf8char(code)
  end
  return at
end

-- at: the byte after the opening quote. Returns the string and the byte after the closing one.
local function decode_string(text, at)
  local stop = find(text, '[\0-\31"\\]', at)
  if stop and byte(text, stop) == 34 then return sub(text, at, stop - 1), stop + 1 end
  local parts = {}
  while stop do
    if stop > at then parts[#parts + 1] = sub(text, at, stop - 1) end
    local c = byte(text, stop)
    if c == 34 then return concat(parts), stop + 1 end
    if c ~= 92 then fail(text, stop, "a string has a raw control character") end
    at = decode_escape(text, stop + 1, parts)
    stop = find(text, '[\0-\31"\\]', at)
  end
  fail(text, #text + 1, "a string does not end")
end

-- Returns the number, the next byte, and the text where encoding would spell it another way.
local function decode_number(text, at)
  local spelled = match(text, "^[-+.%deE]+", at)
  if not spelled then fail(text, at, "a value is missing") end
  local next_at = at + #spelled
  local whole = match(spelled, "^-?(%d+)$")
  if whole then
    if #whole > 1 and byte(whole) == 48 then fail(text, at, "a number has a leading zero") end
    local value = tonumber(spelled)
    if spelled == "-0" then return -0.0, next_at, spelled end
    if mathtype(value) == "integer" then return value, next_at end
    return value, next_at, spelled
  end
  local int, rest = match(spelled, "^-?(%d+)(.*)$")
  if not int or (#int > 1 and byte(int) == 48) then fail(text, at, "there is no such number") end
  local fraction, exponent = match(rest, "^(%.?%d*)(.*)$")
  if fraction == "." or (fraction ~= "" and byte(fraction) ~= 46)
    or (exponent ~= "" and not find(exponent, "^[eE][-+]?%d+$")) then
    fail(text, at, "there is no such number")
  end
  local value = tonumber(spelled)
  if number_text(value) ~= spelled then return value, next_at, spelled end
  return value, next_at
end

local decode_value

local function decode_array(text, at, depth)
  local t, n, kind = {}, 0, ARRAY
  at = find(text, "[^ \n\r\t]", at)
  if at and byte(text, at) == 93 then
    kinds[t] = kind
    return t, at + 1
  end
  while true do
    local value, after, spelled = decode_value(text, at, depth)
    n = n + 1
    if value == nil or spelled then
      if kind == ARRAY then kind = { array = true } end
      if spelled then
        kind.spelled = kind.spelled or {}
        kind.spelled[n] = spelled
      else
        kind.nulls = kind.nulls or {}
        kind.nulls[n] = true
      end
    end
    t[n] = value
    at = find(text, "[^ \n\r\t]", after)
    local c = at and byte(text, at)
    if c == 93 then break end
    if c ~= 44 then fail(text, at or #text + 1, "an array does not go on") end
    at = at + 1
  end
  kinds[t] = kind
  if kind.nulls then setmetatable(t, HIDDEN) end
  return t, at + 1
end

local function decode_object(text, at, depth)
  local t, keys, n = {}, {}, 0
  local kind = { keys = keys }
  kinds[t] = kind
  at = find(text, "[^ \n\r\t]", at)
  if at and byte(text, at) == 125 then return t, at + 1 end
  while true do
    if not at or byte(text, at) ~= 34 then fail(text, at or #text + 1, "an object's key is missing") end
    local key, after = decode_string(text, at + 1)
    at = find(text, "[^ \n\r\t]", after)
    if not at or byte(text, at) ~= 58 then fail(text, at or #text + 1, "a colon is missing") end
    local value, behind, spelled = decode_value(text, at + 1, depth)
    if t[key] == nil and not (kind.nulls and kind.nulls[key]) then
      n = n + 1
      keys[n] = key
    end
    t[key] = value
    if value == nil then
      kind.nulls = kind.nulls or {}
      kind.nulls[key] = true
    elseif kind.nulls then
      kind.nulls[key] = nil
    end
    if spelled or kind.spelled then
      kind.spelled = kind.spelled or {}
      kind.spelled[key] = spelled
    end
    at = find(text, "[^ \n\r\t]", behind)
    local c = at and byte(text, at)
    if c == 125 then return t, at + 1 end
    if c ~= 44 then fail(text, at or #text + 1, "an object does not go on") end
    at = find(text, "[^ \n\r\t]", at + 1)
  end
end

decode_value = function(text, at, depth)
  at = at and find(text, "[^ \n\r\t]", at)
  if not at then fail(text, #text + 1, "a value is missing") end
  local c = byte(text, at)
  if c == 34 then return decode_string(text, at + 1) end
  if c == 123 or c == 91 then
    if depth >= MAX_DEPTH then fail(text, at, "it is nested too deep") end
    if c == 123 then return decode_object(text, at + 1, depth + 1) end
    return decode_array(text, at + 1, depth + 1)
  end
  if c == 116 and sub(text, at, at + 3) == "true" then return true, at + 4 end
  if c == 102 and sub(text, at, at + 4) == "false" then return false, at + 5 end
  if c == 110 and sub(text, at, at + 3) == "null" then return nil, at + 4 end
  return decode_number(text, at)
end

local QUOTED = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r",
  ["\t"] = "\\t" }
for code = 0, 31 do
  QUOTED[char(code)] = QUOTED[char(code)] or format("\\u%04x", code)
end

-- Bytes that are no UTF-8 become U+FFFD, as JSON cannot carry them; half a surrogate pair becomes its escape.
local function well_formed(text)
  local _, bad = utf8len(text)
  if not bad then return text end
  local parts, from = {}, 1
  while bad do
    parts[#parts + 1] = sub(text, from, bad - 1)
    local high, low = match(text, "^\xED([\xA0-\xBF])([\x80-\xBF])", bad)
    if high then
      parts[#parts + 1] = format("\\u%04x", 0xD000 + (byte(high) - 0x80) * 64 + byte(low) - 0x80)
      from = bad + 3
    else
      parts[#parts + 1] = "\u{FFFD}"
      from = bad + 1
    end
    if from > #text then break end
    _, bad = utf8len(text, from)
  end
  parts[#parts + 1] = sub(text, from)
  return concat(parts)
end

local function quote(text)
  if find(text, '[\0-\31"\\]') then text = gsub(text, '[\0-\31"\\]', QUOTED) end
  if find(text, "[\128-\255]") then text = well_formed(text) end
  return '"' .. text .. '"'
end

local encode_value

-- Whether the table is an array, and how long. A table made by the script is one when it has a first value or only
-- whole positive keys; an empty one is an object.
local function is_array(t, kind)
  local last = 0
  for key in next, t do
    if mathtype(key) ~= "integer" or key < 1 then return false end
    if key > last then last = key end
  end
  if kind and kind.array then return true, array_length(t, kind) end
  if last == 0 or (kind and kind.nulls) then return false end
  return true, last
end

local function encode_array(t, length, kind, out, depth)
  if length > 1000 and length > 8 * rawlen(t) and not (kind and kind.nulls) then
    error("JSON: an array has too many holes", 0)
  end
  local spelled = kind and kind.array and kind.spelled
  out[#out + 1] = "["
  for i = 1, length do
    if i > 1 then out[#out + 1] = "," end
    encode_value(rawget(t, i), out, depth, spelled and spelled[i])
  end
  out[#out + 1] = "]"
end

local function encode_object(t, kind, out, depth)
  local count, written = 0, 0
  local keys = kind and kind.keys
  local nulls, spelled = kind and kind.nulls, kind and kind.spelled
  out[#out + 1] = "{"
  local first = true
  local function pair(name, value, spelling)
    out[#out + 1] = (first and "" or ",") .. quote(name) .. ":"
    first = false
    encode_value(value, out, depth, spelling)
  end
  for _ in next, t do count = count + 1 end
  if keys then
    for i = 1, #keys do
      local key = keys[i]
      local value = rawget(t, key)
      if value ~= nil then
        written = written + 1
        pair(key, value, spelled and spelled[key])
      elseif nulls and nulls[key] then
        pair(key, nil)
      end
    end
  end
  if written < count then
    local known, extra = {}, {}
    if keys then
      for i = 1, #keys do known[keys[i]] = true end
    end
    for key in next, t do
      if not known[key] then
        local kind_of_key = type(key)
        if kind_of_key ~= "string" and kind_of_key ~= "number" then
          error("JSON: a key is a " .. kind_of_key, 0)
        end
        extra[#extra + 1] = { kind_of_key == "string" and key or number_text(key), key }
      end
    end
    sort(extra, function(a, b) return a[1] < b[1] end)
    for i = 1, #extra do pair(extra[i][1], rawget(t, extra[i][2])) end
  end
  out[#out + 1] = "}"
end

encode_value = function(value, out, depth, spelled)
  local kind_of_value = type(value)
  if kind_of_value == "string" then
    out[#out + 1] = quote(value)
  elseif kind_of_value == "number" then
    if spelled and tonumber(spelled) == value then
      out[#out + 1] = spelled
    else
      out[#out + 1] = number_text(value)
    end
  elseif kind_of_value == "boolean" then
    out[#out + 1] = value and "true" or "false"
  elseif kind_of_value == "nil" then
    out[#out + 1] = "null"
  elseif kind_of_value == "table" then
    if depth >= MAX_DEPTH then error("JSON: it is nested too deep, or in itself", 0) end
    local kind = kinds[value]
    local array, length = is_array(value, kind)
    if array then
      encode_array(value, length, kind, out, depth + 1)
    else
      encode_object(value, kind, out, depth + 1)
    end
  else
    error("JSON: a " .. kind_of_value .. " cannot be written", 0)
  end
end

local json = {}

function json.decode(text)
  if type(text) ~= "string" then error("JSON: decode wants a string, not a " .. type(text), 2) end
  local value, at = decode_value(text, 1, 0)
  at = find(text, "[^ \n\r\t]", at)
  if at then fail(text, at, "there is more after the value") end
  return value
end

function json.encode(value)
  local out = {}
  encode_value(value, out, 0)
  return concat(out)
end

-- An empty table that is written as [] (a script's own empty table is written as {}).
function json.array(t)
  t = t or {}
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
  return setmetatable(t, meta)
end

local function safe_getmetatable(value)
  local meta = getmetatable(value)
  if meta == HIDDEN then return nil end
  return meta
end

return json, safe_setmetatable, safe_getmetatable
`;

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

-- at: the byte after the opening quote. Returns the string and the byte after the closing one. A plain find is a single
-- machine loop, a class is not: most strings have neither escape nor control character.
local function decode_string(text, at)
  local stop = find(text, '"', at, true)
  if not stop then fail(text, #text + 1, "a string does not end") end
  local plain = sub(text, at, stop - 1)
  if not find(plain, "\\", 1, true) and not find(plain, "%c") then return plain, stop + 1 end
  local parts = {}
  stop = find(text, '[\0-\31"\\]', at)
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

-- The next byte that is no white space, and where it is.
local function skip(text, at)
  local c = byte(text, at)
  if c and c > 32 then return c, at end
  at = find(text, "[^ \n\r\t]", at)
  return at and byte(text, at), at or #text + 1
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

local function decode_array(text, at, depth, t)
  local n, kind = 0, ARRAY
  local c
  c, at = skip(text, at)
  if c == 93 then
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
    c, at = skip(text, after)
    if c == 93 then break end
    if c ~= 44 then fail(text, at, "an array does not go on") end
    at = at + 1
  end
  kinds[t] = kind
  if kind.nulls then setmetatable(t, HIDDEN) end
  return t, at + 1
end

local function decode_object(text, at, depth, t)
  local kind, n = {}, 0
  kinds[t] = kind
  local c
  c, at = skip(text, at)
  if c == 125 then return t, at + 1 end
  while true do
    if c ~= 34 then fail(text, at, "an object's key is missing") end
    local key, after = decode_string(text, at + 1)
    c, at = skip(text, after)
    if c ~= 58 then fail(text, at, "a colon is missing") end
    local value, behind, spelled = decode_value(text, at + 1, depth)
    if t[key] == nil and not (kind.nulls and kind.nulls[key]) then
      n = n + 1
      kind[n] = key
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
    c, at = skip(text, behind)
    if c == 125 then return t, at + 1 end
    if c ~= 44 then fail(text, at, "an object does not go on") end
    c, at = skip(text, at + 1)
  end
end

decode_value = function(text, at, depth)
  local c
  c, at = skip(text, at)
  if not c then fail(text, at, "a value is missing") end
  if c == 34 then return decode_string(text, at + 1) end
  if c == 123 or c == 91 then
    if depth >= MAX_DEPTH then fail(text, at, "it is nested too deep") end
    if depth > 0 and #text >= LARGE_TEXT then
      local after = span(text, at)
      if after and after - at >= LARGE_PART then
        local t = setmetatable({}, WAITING)
        kinds[t] = { raw = sub(text, at, after - 1) }
        return t, after
      end
    end
    if c == 123 then return decode_object(text, at + 1, depth + 1, {}) end
    return decode_array(text, at + 1, depth + 1, {})
  end
  if c == 116 and sub(text, at, at + 3) == "true" then return true, at + 4 end
  if c == 102 and sub(text, at, at + 4) == "false" then return false, at + 5 end
  if c == 110 and sub(text, at, at + 3) == "null" then return nil, at + 4 end
  return decode_number(text, at)
end

force = function(t)
  local kind = kinds[t]
  local raw = kind and kind.raw
  if not raw then return end
  setmetatable(t, nil)
  if byte(raw) == 123 then decode_object(raw, 2, 1, t) else decode_array(raw, 2, 1, t) end
end

WAITING.__index = function(t, key)
  force(t)
  return t[key]
end
WAITING.__newindex = function(t, key, value)
  force(t)
  t[key] = value
end
WAITING.__len = function(t)
  force(t)
  return #t
end
WAITING.__pairs = function(t)
  force(t)
  return next, t, nil
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
  if find(text, '"', 1, true) or find(text, "\\", 1, true) or find(text, "%c") then
    text = gsub(text, '[\0-\31"\\]', QUOTED)
  end
  if not utf8len(text) then text = well_formed(text) end
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

-- What has been written so far. Encoding runs no code of a script's, so there is never more than one at work.
local out, size = {}, 0

local function encode_array(t, length, kind, depth)
  if length > 1000 and length > 8 * rawlen(t) and not (kind and kind.nulls) then
    error("JSON: an array has too many holes", 0)
  end
  local spelled = kind and kind.array and kind.spelled
  size = size + 1
  out[size] = "["
  for i = 1, length do
    if i > 1 then
      size = size + 1
      out[size] = ","
    end
    encode_value(rawget(t, i), depth, spelled and spelled[i])
  end
  size = size + 1
  out[size] = "]"
end

-- Keys and their quoted form with colon; the same keys come again and again.
local names, known_names = {}, 0
local function name_of(key)
  local name = names[key]
  if name then return name end
  name = quote(key) .. ":"
  if known_names >= 500 then names, known_names = {}, 0 end
  if #key <= 40 then
    names[key] = name
    known_names = known_names + 1
  end
  return name
end

local function extra_keys(t, keys)
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
  return extra
end

local function encode_object(t, kind, depth)
  local count, written = 0, 0
  local keys = kind
  local nulls, spelled = kind and kind.nulls, kind and kind.spelled
  local before = "{"
  for _ in next, t do count = count + 1 end
  if keys then
    for i = 1, #keys do
      local key = keys[i]
      local value = rawget(t, key)
      if value ~= nil or (nulls and nulls[key]) then
        if value ~= nil then written = written + 1 end
        out[size + 1] = before
        size = size + 2
        out[size] = name_of(key)
        before = ","
        encode_value(value, depth, spelled and spelled[key])
      end
    end
  end
  if written < count then
    local extra = extra_keys(t, keys)
    for i = 1, #extra do
      out[size + 1] = before
      size = size + 2
      out[size] = name_of(extra[i][1])
      before = ","
      encode_value(rawget(t, extra[i][2]), depth)
    end
  end
  size = size + 1
  out[size] = before == "{" and "{}" or "}"
end

encode_value = function(value, depth, spelled)
  local kind_of_value = type(value)
  if kind_of_value == "table" then
    if depth >= MAX_DEPTH then error("JSON: it is nested too deep, or in itself", 0) end
    local kind = kinds[value]
    if kind and kind.raw then
      size = size + 1
      out[size] = kind.raw
      return
    end
    local array, length = is_array(value, kind)
    if array then return encode_array(value, length, kind, depth + 1) end
    return encode_object(value, kind, depth + 1)
  end
  local text
  if kind_of_value == "string" then
    text = quote(value)
  elseif kind_of_value == "number" then
    text = spelled and tonumber(spelled) == value and spelled or number_text(value)
  elseif kind_of_value == "boolean" then
    text = value and "true" or "false"
  elseif kind_of_value == "nil" then
    text = "null"
  else
    error("JSON: a " .. kind_of_value .. " cannot be written", 0)
  end
  size = size + 1
  out[size] = text
end

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

/** Reading JSON, as a part of the chunk in `json_lua.ts`, whose names it uses. It leaves `decode_value`, `skip`, `fail`, and
 * `force`, which reads one level of a table that waits for it. */
export const JSON_DECODE_LUA = String.raw`
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
`;

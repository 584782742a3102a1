/** Writing JSON, as a part of the chunk in `json_lua.ts`, whose names it uses. It leaves `encode_value`, which adds to `out`,
 * of which `size` counts the pieces. */
export const JSON_ENCODE_LUA = String.raw`
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
`;

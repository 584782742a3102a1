/** `find match gmatch gsub` within limits: what is certain to be quick goes to the library's own functions, everything
 * else to the host's counting matcher (`patterns.ts`). The worst case of a pattern is the length of the text to the power
 * of its repetitions, and of one more where it may begin anywhere. Its chunk takes the host functions and replaces the
 * functions in `string`. */
export const PATTERNS_LUA = String.raw`
local host_spend, host_match = ...
local type, tostring, tonumber, error, select, rawequal = type, tostring, tonumber, error, select, rawequal
local string, math, table = string, math, table
local find, sub, byte, gsub, match, gmatch = string.find, string.sub, string.byte, string.gsub, string.match, string.gmatch
local concat, unpack, mathtype, tointeger = table.concat, table.unpack, math.type, math.tointeger
local QUICK = 200000

-- Counting repetitions costs more than most matches: remembered for each pattern.
local repeats, remembered = {}, 0
local function count_repeats(pattern)
  local known = repeats[pattern]
  if known then return known end
  local count = 0
  for i = 1, #pattern do
    local c = byte(pattern, i)
    if c == 42 or c == 43 or c == 45 or c == 63 or c == 37 and find(pattern, "^[bf%d]", i + 1) then count = count + 1 end
  end
  if remembered >= 200 then repeats, remembered = {}, 0 end
  repeats[pattern] = count
  remembered = remembered + 1
  return count
end

local owed = 0
local function owe(cost)
  owed = owed + cost
  if owed > QUICK then
    host_spend(owed)
    owed = 0
  end
end

local function is_quick(text, pattern)
  local power = count_repeats(pattern)
  if byte(pattern) ~= 94 then power = power + 1 end
  local cost = #pattern * (#text + 1) ^ power
  if cost > QUICK then return false end
  owe(cost)
  return true
end

local function text_arg(value, index, name)
  if type(value) == "string" then return value end
  if type(value) == "number" then return tostring(value) end
  error("bad argument #" .. index .. " to '" .. name .. "' (string expected, got " .. type(value) .. ")", 3)
end

local function start_at(init, length)
  local at = tointeger(tonumber(init or 1)) or error("bad argument #3 (number has no integer representation)", 3)
  if at < 0 then at = length + at + 1 end
  if at < 1 then at = 1 end
  return at
end

-- The host's matches: nil, or start and end (inclusive) and the captures.
local function captured(text, from, to, ...)
  local n = select("#", ...)
  if n == 0 then return from, to end
  local places, out = { ... }, {}
  for i = 1, n, 2 do
    if places[i + 1] < 0 then
      out[#out + 1] = places[i]
    else
      out[#out + 1] = sub(text, places[i], places[i + 1])
    end
  end
  return from, to, unpack(out, 1, n // 2)
end

local function search(text, pattern, at, not_to, literal_caret)
  return captured(text, host_match(text, pattern, at, not_to, literal_caret))
end

local function whole_or_captures(text, from, to, ...)
  if not from then return nil end
  if select("#", ...) > 0 then return ... end
  return sub(text, from, to)
end

local SPECIAL = "[%^%$%*%+%?%.%(%)%[%%%-]"

local function find_plain(text, wanted, at)
  if #wanted <= 32 then
    owe(#text)
    return find(text, wanted, at, true)
  end
  local head, length = sub(wanted, 1, 32), #wanted
  while true do
    local start = find(text, head, at, true)
    if not start then return nil end
    owe(length + start - at)
    if sub(text, start, start + length - 1) == wanted then return start, start + length - 1 end
    at = start + 1
  end
end

function string.find(text, pattern, init, plain)
  text, pattern = text_arg(text, 1, "find"), text_arg(pattern, 2, "find")
  local at = start_at(init, #text)
  if at > #text + 1 then return nil end
  if plain or not find(pattern, SPECIAL) then return find_plain(text, pattern, at) end
  if is_quick(text, pattern) then return find(text, pattern, at) end
  local function result(from, to, ...)
    if not from then return nil end
    return from, to, ...
  end
  return result(search(text, pattern, at))
end

function string.match(text, pattern, init)
  text, pattern = text_arg(text, 1, "match"), text_arg(pattern, 2, "match")
  local at = start_at(init, #text)
  if at > #text + 1 then return nil end
  if is_quick(text, pattern) then return match(text, pattern, at) end
  return whole_or_captures(text, search(text, pattern, at))
end

function string.gmatch(text, pattern, init)
  text, pattern = text_arg(text, 1, "gmatch"), text_arg(pattern, 2, "gmatch")
  local at, last = start_at(init, #text), nil
  if at > #text + 1 then at = #text + 2 end
  if is_quick(text, pattern) then return gmatch(text, pattern, at) end
  local function step(from, to, ...)
    if not from then
      at = #text + 2
      return nil
    end
    at, last = to + 1, to
    return whole_or_captures(text, from, to, ...)
  end
  return function()
    if at > #text + 1 then return nil end
    return step(search(text, pattern, at, last, true))
  end
end
string.gfind = string.gmatch

local function replacement(with, whole, ...)
  local first = ...
  if select("#", ...) == 0 then first = whole end
  local value
  if type(with) == "function" then
    if select("#", ...) == 0 then value = with(whole) else value = with(...) end
  elseif type(with) == "table" then
    value = with[first]
  else
    local captures = { ... }
    local count = select("#", ...)
    return (gsub(with, "%%(.?)", function(c)
      if c == "%" then return "%" end
      local index = tonumber(c)
      if not index then error("invalid use of '%' in replacement string", 0) end
      if index == 0 then return whole end
      if index == 1 and count == 0 then return whole end
      if index > count then error("invalid capture index %" .. index .. " in replacement string", 0) end
      return tostring(captures[index])
    end))
  end
  if value == nil or value == false then return whole end
  if type(value) == "string" or type(value) == "number" then return tostring(value) end
  error("invalid replacement value (a " .. type(value) .. ")", 0)
end

function string.gsub(text, pattern, with, most)
  text, pattern = text_arg(text, 1, "gsub"), text_arg(pattern, 2, "gsub")
  local kind = type(with)
  if kind == "number" then with, kind = tostring(with), "string" end
  if kind ~= "string" and kind ~= "table" and kind ~= "function" then
    error("bad argument #3 to 'gsub' (string/function/table expected, got " .. kind .. ")", 2)
  end
  most = most and (tointeger(tonumber(most)) or error("bad argument #4 to 'gsub' (number expected)", 2)) or math.huge
  if kind == "string" and is_quick(text, pattern) then
    owe(#text * #with)
    if most == math.huge then return gsub(text, pattern, with) end
    return gsub(text, pattern, with, most)
  end
  local out, done, at, last = {}, 0, 1, nil
  local anchored = byte(pattern) == 94
  local function step(from, to, ...)
    if not from then return false end
    out[#out + 1] = sub(text, at, from - 1)
    out[#out + 1] = replacement(with, sub(text, from, to), ...)
    done = done + 1
    at, last = to + 1, to
    return true
  end
  while done < most and at <= #text + 1 do
    if not step(search(text, pattern, at, last)) or anchored then break end
  end
  out[#out + 1] = sub(text, at)
  return concat(out), done
end
`;

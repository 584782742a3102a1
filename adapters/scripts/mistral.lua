-- needs chat_completions

local LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

-- Mistral takes ids of exactly nine letters and digits; others are mapped, always to the same.
local function call_id(id)
  id = tostring(id or "")
  if #id == 9 and not id:find("[^%w]") then return id end
  local hash = 5381
  for i = 1, #id do hash = (hash * 33 + id:byte(i)) % 13537086546263552 end
  local out = {}
  for i = 1, 9 do
    local at = hash % 62
    out[i] = LETTERS:sub(at + 1, at + 1)
    hash = hash // 62
  end
  return table.concat(out)
end

return chat_completions({
  name = "mistral",
  call_id = call_id,
  tool_names = true,
  user_after_tool = false,
  stream_usage = false,
  part = function(part)
    if part.type == "input_audio" and type(part.input_audio) == "table" then
      return { type = "input_audio", input_audio = part.input_audio.data }
    end
    return part
  end,
  tune = function(body)
    if body.tool_choice == "required" then body.tool_choice = "any" end
  end,
})

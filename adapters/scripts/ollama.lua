-- Ollama's chat: NDJSON, arguments as objects, calls mostly without ids, pictures as base64 beside the text, and a
-- context window that must be asked for: otherwise a long prompt is cut without a word.

local adapter = {
  name = "ollama",
  version = "1.0.0",
  endpoint = "/api/chat",
  headers = {},
  accepts = { "thinking", "context_window", "name" },
}

-- Room for a prompt of this many bytes and its answer, where the window is not configured. Few steps: each other value
-- makes the server load the model anew.
local function window_for(bytes, answer)
  local need = bytes / 3 + (answer or 0)
  for _, size in ipairs({ 8192, 16384 }) do
    if need <= size then return size end
  end
  return 32768
end

local function args_of(arguments)
  local ok, args = pcall(json.decode, arguments or "{}")
  if ok and type(args) == "table" and #args == 0 then return args end
  return json.decode("{}")
end

local function message_of(message, names)
  local texts, images = {}, {}
  if type(message.content) == "string" then
    texts[1] = message.content
  else
    for _, part in ipairs(message.content or {}) do
      if part.type == "text" then
        texts[#texts + 1] = part.text
      elseif part.type == "image_url" then
        local data = part.image_url.url:match("^data:[^,]*;base64,(.*)$")
        if data then
          images[#images + 1] = data
        else
          texts[#texts + 1] = "[a picture at " .. part.image_url.url .. "]"
        end
      elseif part.type == "input_audio" then
        texts[#texts + 1] = "[a sound recording, which this model cannot hear]"
      end
    end
  end
  local out = { role = message.role, content = table.concat(texts, "\n") }
  if #images > 0 then out.images = images end
  if message.tool_calls and #message.tool_calls > 0 then
    out.tool_calls = {}
    for i, call in ipairs(message.tool_calls) do
      local fn = call["function"]
      names[call.id] = fn.name
      out.tool_calls[i] = { ["function"] = { name = fn.name, arguments = args_of(fn.arguments) } }
    end
  end
  if message.role == "tool" then out.tool_name = message.name or names[message.tool_call_id] end
  return out
end

function adapter.transform_request(text)
  local request = json.decode(text)
  local messages, names = {}, {}
  for i, message in ipairs(request.messages) do messages[i] = message_of(message, names) end
  local body = {
    model = request.model, messages = json.array(messages), stream = request.stream or false,
    options = {
      temperature = request.temperature, num_predict = request.max_tokens,
      num_ctx = request.context_window or window_for(#text, request.max_tokens),
    },
  }
  if request.tools and #request.tools > 0 and request.tool_choice ~= "none" then body.tools = request.tools end
  if request.thinking then body.think = true end
  return json.encode(body)
end

local function usage_of(line)
  if not line.prompt_eval_count and not line.eval_count then return nil end
  local prompt, completion = line.prompt_eval_count or 0, line.eval_count or 0
  return { prompt = prompt, completion = completion, total = prompt + completion }
end

local function finish_of(line)
  if not line.done then return nil end
  return line.done_reason == "length" and "length" or "stop"
end

local function reasoning_of(message)
  if type(message.thinking) == "string" and message.thinking ~= "" then return message.thinking end
  return nil
end

local function each_call(message, make)
  if type(message.tool_calls) ~= "table" or #message.tool_calls == 0 then return nil end
  local calls = {}
  for i, call in ipairs(message.tool_calls) do
    local fn = call["function"] or {}
    local arguments = fn.arguments
    if type(arguments) == "table" then arguments = json.encode(arguments) end
    calls[i] = make(call, fn.name, arguments or "{}")
  end
  return calls
end

function adapter.transform_response(text)
  local line = json.decode(text)
  local message = line.message or {}
  return json.encode({
    content = message.content or "",
    reasoning_content = reasoning_of(message),
    finish_reason = finish_of(line) or "stop",
    token_usage = usage_of(line) or { prompt = 0, completion = 0, total = 0 },
    tool_calls = each_call(message, function(call, name, arguments)
      return { id = call.id, type = "function", name = name, arguments = arguments }
    end),
  })
end

-- Every call comes whole, and parallel ones share one index: none is handed on.
function adapter.transform_stream_chunk(data)
  local line = json.decode(data)
  local message = line.message or {}
  return json.encode({
    content = message.content ~= "" and message.content or nil,
    reasoning_content = reasoning_of(message),
    done = line.done == true or nil,
    finish_reason = finish_of(line),
    token_usage = usage_of(line),
    tool_calls = each_call(message, function(call, name, arguments)
      return { id = call.id, type = "function", ["function"] = { name = name, arguments = arguments } }
    end),
  })
end

return adapter

-- OpenAI's chat completions, for the adapters of the vendors that speak it. `chat_completions(vendor)` returns an adapter
-- table. A vendor may give:
--   tune(body, request)   changes the finished body; `request` is the unified request
--   call_id(id)           the vendor's form of a tool call's id
--   part(part)            the vendor's form of a content part
--   keeps_reasoning       reasoning goes back with the tool calls it led to
--   user_after_tool       false: a user message may not follow a tool result
--   stream_usage          false: usage comes without being asked for

local FINISH = {
  stop = "stop", length = "length", tool_calls = "tool_calls", function_call = "tool_calls",
  content_filter = "content_filter", model_length = "length", eos = "stop", insufficient_system_resource = "cut",
}

-- Content as text: a string, or parts of which some hold text.
local function text_of(content)
  if type(content) == "string" then return content end
  if type(content) ~= "table" then return "" end
  local texts = {}
  for _, part in ipairs(content) do
    if type(part) == "string" then
      texts[#texts + 1] = part
    elseif type(part) == "table" and type(part.text) == "string" and part.type ~= "thinking" then
      texts[#texts + 1] = part.text
    end
  end
  return table.concat(texts)
end

-- Reasoning, wherever the vendor puts it: a field of its own, or parts of type "thinking".
local function reasoning_of(message)
  local own = message.reasoning_content or message.reasoning
  if type(own) == "string" and own ~= "" then return own end
  if type(message.content) ~= "table" then return nil end
  local texts = {}
  for _, part in ipairs(message.content) do
    if type(part) == "table" and part.type == "thinking" then texts[#texts + 1] = text_of(part.thinking) end
  end
  if #texts > 0 then return table.concat(texts) end
  return nil
end

local function usage_of(usage)
  if type(usage) ~= "table" then return nil end
  local prompt, completion = usage.prompt_tokens or 0, usage.completion_tokens or 0
  local details = usage.prompt_tokens_details
  return {
    prompt = prompt, completion = completion, total = usage.total_tokens or prompt + completion,
    cached = type(details) == "table" and details.cached_tokens or usage.prompt_cache_hit_tokens or nil,
  }
end

-- The reasoning that led to tool calls, as the vendor wants it back: kept in the first call's signature.
local function remembered_reasoning(calls)
  local texts = {}
  for _, call in ipairs(calls) do
    if type(call.signature) == "string" and call.signature:sub(1, 13) == '{"reasoning":' then
      for line in call.signature:gmatch("[^\n]+") do
        local ok, piece = pcall(json.decode, line)
        if ok and type(piece) == "table" and piece.reasoning then texts[#texts + 1] = piece.reasoning end
      end
    end
  end
  return table.concat(texts)
end

local function chat_completions(vendor)
  local adapter = {
    name = vendor.name,
    version = vendor.version or "1.0.0",
    endpoint = "/chat/completions",
    headers = vendor.headers or {},
    accepts = { "thinking", "signature", "name" },
  }

  local function content_of(content)
    if type(content) ~= "table" or not vendor.part then return content end
    local parts = {}
    for i, part in ipairs(content) do parts[i] = vendor.part(part) end
    return json.array(parts)
  end

  local function assistant(message)
    local out = { role = "assistant", content = text_of(message.content) }
    if type(message.tool_calls) == "table" and #message.tool_calls > 0 then
      local calls = {}
      for i, call in ipairs(message.tool_calls) do
        local id = vendor.call_id and vendor.call_id(call.id) or call.id
        local fn = call["function"]
        calls[i] = { id = id, type = "function", ["function"] = { name = fn.name, arguments = fn.arguments } }
      end
      out.tool_calls = calls
      if vendor.keeps_reasoning then
        local reasoning = remembered_reasoning(message.tool_calls)
        if reasoning ~= "" then out.reasoning_content = reasoning end
      end
    end
    return out
  end

  -- Tool messages hold text alone; the pictures of a row of results follow in one user message.
  local function messages_of(list)
    local out, pictures = {}, {}
    local function show_pictures()
      if #pictures == 0 then return end
      local parts = { { type = "text", text = "[what the tools returned besides text]" } }
      for _, part in ipairs(pictures) do parts[#parts + 1] = part end
      out[#out + 1] = { role = "user", content = content_of(parts) }
      pictures = {}
    end
    for _, message in ipairs(list) do
      if message.role == "tool" then
        if type(message.content) == "table" then
          for _, part in ipairs(message.content) do
            if part.type ~= "text" then pictures[#pictures + 1] = part end
          end
        end
        local id = vendor.call_id and vendor.call_id(message.tool_call_id) or message.tool_call_id
        out[#out + 1] = { role = "tool", tool_call_id = id, content = text_of(message.content) }
        if vendor.tool_names then out[#out].name = message.name end
      else
        show_pictures()
        if message.role == "assistant" then
          out[#out + 1] = assistant(message)
        else
          out[#out + 1] = { role = message.role, content = content_of(message.content) }
        end
      end
    end
    show_pictures()
    if vendor.user_after_tool == false then
      local legal = {}
      for i, message in ipairs(out) do
        if message.role == "user" and i > 1 and out[i - 1].role == "tool" then
          legal[#legal + 1] = { role = "assistant", content = "…" }
        end
        legal[#legal + 1] = message
      end
      out = legal
    end
    return json.array(out)
  end

  function adapter.transform_request(text)
    local request = json.decode(text)
    local body = {
      model = request.model, messages = messages_of(request.messages or {}), temperature = request.temperature,
      max_tokens = request.max_tokens, stream = request.stream or false,
    }
    if type(request.tools) == "table" and #request.tools > 0 then
      body.tools = request.tools
      body.tool_choice = request.tool_choice
    end
    if request.stream and vendor.stream_usage ~= false then body.stream_options = { include_usage = true } end
    if vendor.tune then vendor.tune(body, request) end
    return json.encode(body)
  end

  local function signature_of(reasoning)
    if not reasoning or not vendor.keeps_reasoning then return nil end
    return json.encode({ reasoning = reasoning }) .. "\n"
  end

  function adapter.transform_response(text)
    local response = json.decode(text)
    local choice = type(response.choices) == "table" and response.choices[1] or {}
    local message = choice.message or {}
    local reasoning = reasoning_of(message)
    local calls = nil
    if type(message.tool_calls) == "table" and #message.tool_calls > 0 then
      calls = {}
      for i, call in ipairs(message.tool_calls) do
        local fn = call["function"] or {}
        calls[i] = { id = call.id, type = "function", name = fn.name, arguments = fn.arguments }
      end
      calls[1].signature = signature_of(reasoning)
    end
    return json.encode({
      content = text_of(message.content),
      reasoning_content = reasoning,
      finish_reason = choice.finish_reason and (FINISH[choice.finish_reason] or "stop") or nil,
      token_usage = usage_of(response.usage) or { prompt = 0, completion = 0, total = 0 },
      tool_calls = calls,
    })
  end

  function adapter.transform_stream_chunk(data)
    local chunk = json.decode(data)
    if type(chunk) ~= "table" then return "" end
    local out = {
      token_usage = usage_of(chunk.usage) or (type(chunk.x_groq) == "table" and usage_of(chunk.x_groq.usage)) or nil,
    }
    local choice = type(chunk.choices) == "table" and chunk.choices[1] or nil
    if choice then
      local delta = type(choice.delta) == "table" and choice.delta or {}
      local content = text_of(delta.content)
      if content ~= "" then out.content = content end
      out.reasoning_content = reasoning_of(delta)
      out.signature = signature_of(out.reasoning_content)
      if type(delta.tool_calls) == "table" and #delta.tool_calls > 0 then out.tool_calls = delta.tool_calls end
      if type(choice.finish_reason) == "string" and choice.finish_reason ~= "" then
        out.finish_reason = FINISH[choice.finish_reason] or "stop"
        out.done = true
      end
    end
    if next(out) == nil then return "" end
    return json.encode(out)
  end

  return adapter
end

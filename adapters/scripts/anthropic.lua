-- Anthropic's messages: the system prompt apart, content in blocks, tool results in user messages, thinking that must
-- come back signed with the tool calls it led to. That thinking is kept in the first call's signature, one line of JSON a
-- piece: {"begin": kind}, {"thinking": text}, {"sign": signature}, {"redacted": data}.

local adapter = {
  name = "anthropic",
  version = "1.0.0",
  endpoint = "/v1/messages",
  headers = { ["x-api-key"] = "{api_key}", ["anthropic-version"] = "2023-06-01" },
  accepts = { "thinking", "signature", "name" },
}

local FINISH = {
  end_turn = "stop", stop_sequence = "stop", pause_turn = "stop", max_tokens = "length", tool_use = "tool_calls",
  refusal = "content_filter", model_context_window_exceeded = "length",
}

local function image_block(url)
  local mime, data = url:match("^data:([^;,]+);base64,(.*)$")
  if data then return { type = "image", source = { type = "base64", media_type = mime, data = data } } end
  return { type = "image", source = { type = "url", url = url } }
end

-- Content as blocks; an empty text is refused by the server, so there is none.
local function blocks_of(content, out)
  out = out or {}
  if type(content) == "string" then
    if content ~= "" then out[#out + 1] = { type = "text", text = content } end
    return out
  end
  for _, part in ipairs(content or {}) do
    if part.type == "text" then
      if part.text ~= "" then out[#out + 1] = { type = "text", text = part.text } end
    elseif part.type == "image_url" then
      out[#out + 1] = image_block(part.image_url.url)
    elseif part.type == "input_audio" then
      out[#out + 1] = { type = "text", text = "[a sound recording, which this model cannot hear]" }
    end
  end
  return out
end

local function thinking_blocks(signature, out)
  if type(signature) ~= "string" or signature:sub(1, 9) ~= '{"begin":' then return out end
  local block
  for line in signature:gmatch("[^\n]+") do
    local ok, piece = pcall(json.decode, line)
    if ok and type(piece) == "table" then
      if piece.begin then
        block = { type = "thinking", thinking = "", signature = "" }
        out[#out + 1] = block
      elseif piece.redacted then
        out[#out + 1] = { type = "redacted_thinking", data = piece.redacted }
      elseif block and piece.thinking then
        block.thinking = block.thinking .. piece.thinking
      elseif block and piece.sign then
        block.signature = block.signature .. piece.sign
      end
    end
  end
  return out
end

local function input_of(arguments)
  local ok, input = pcall(json.decode, arguments or "{}")
  if ok and type(input) == "table" then
    if #input == 0 then return input end
    return { value = input }
  end
  return json.decode("{}")
end

local function assistant_blocks(message, thinking)
  local out = {}
  local calls = message.tool_calls or {}
  if thinking and calls[1] then thinking_blocks(calls[1].signature, out) end
  blocks_of(message.content, out)
  for _, call in ipairs(calls) do
    local fn = call["function"]
    out[#out + 1] = { type = "tool_use", id = call.id, name = fn.name, input = input_of(fn.arguments) }
  end
  return out
end

-- With thinking on, tool calls since the last word of the user must carry theirs. Calls of another source have none:
-- this request then goes without thinking.
local function can_think(messages)
  for i = #messages, 1, -1 do
    local message = messages[i]
    if message.role == "user" then return true end
    if message.role == "assistant" and message.tool_calls and message.tool_calls[1] then
      if #thinking_blocks(message.tool_calls[1].signature, {}) == 0 then return false end
    end
  end
  return true
end

function adapter.transform_request(text)
  local request = json.decode(text)
  local thinking = request.thinking and can_think(request.messages)
  local system, messages = {}, {}
  local function add(role, blocks)
    if #blocks == 0 then return end
    local last = messages[#messages]
    if last and last.role == role then
      for _, block in ipairs(blocks) do last.content[#last.content + 1] = block end
    else
      messages[#messages + 1] = { role = role, content = blocks }
    end
  end
  for _, message in ipairs(request.messages) do
    if message.role == "system" then
      for _, block in ipairs(blocks_of(message.content)) do system[#system + 1] = block.text end
    elseif message.role == "tool" then
      add("user", {
        { type = "tool_result", tool_use_id = message.tool_call_id, content = json.array(blocks_of(message.content)) },
      })
    elseif message.role == "assistant" then
      add("assistant", assistant_blocks(message, thinking))
    else
      add("user", blocks_of(message.content))
    end
  end
  if not messages[1] or messages[1].role ~= "user" then
    table.insert(messages, 1, { role = "user", content = { { type = "text", text = "…" } } })
  end
  local body = {
    model = request.model, messages = messages, max_tokens = request.max_tokens or 4096,
    stream = request.stream or false,
  }
  if #system > 0 then body.system = table.concat(system, "\n\n") end
  if thinking then
    local budget = math.max(1024, body.max_tokens)
    body.thinking = { type = "enabled", budget_tokens = budget }
    body.max_tokens = body.max_tokens + budget
  else
    body.temperature = request.temperature and math.min(request.temperature, 1)
  end
  if request.tools and #request.tools > 0 then
    local tools = {}
    for i, tool in ipairs(request.tools) do
      local fn = tool["function"]
      tools[i] = { name = fn.name, description = fn.description, input_schema = fn.parameters }
    end
    body.tools = tools
    local choice = { auto = "auto", required = "any", none = "none" }
    local wanted = choice[request.tool_choice or "auto"] or "auto"
    if thinking and wanted == "any" then wanted = "auto" end
    body.tool_choice = { type = wanted }
  end
  return json.encode(body)
end

local function usage_of(usage)
  if type(usage) ~= "table" then return nil end
  local read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
  local out = { completion = usage.output_tokens }
  if usage.input_tokens then out.prompt = usage.input_tokens + read + written end
  if read > 0 then out.cached = read end
  return out
end

local function line(piece)
  return json.encode(piece) .. "\n"
end

function adapter.transform_response(text)
  local response = json.decode(text)
  local content, reasoning, signature, calls = {}, {}, {}, {}
  for _, block in ipairs(response.content or {}) do
    if block.type == "text" then
      content[#content + 1] = block.text
    elseif block.type == "thinking" then
      reasoning[#reasoning + 1] = block.thinking
      signature[#signature + 1] = line({ begin = "thinking" }) .. line({ thinking = block.thinking })
        .. line({ sign = block.signature })
    elseif block.type == "redacted_thinking" then
      signature[#signature + 1] = line({ begin = "redacted" }) .. line({ redacted = block.data })
    elseif block.type == "tool_use" then
      calls[#calls + 1] = { id = block.id, type = "function", name = block.name, arguments = json.encode(block.input) }
    end
  end
  if calls[1] and #signature > 0 then calls[1].signature = table.concat(signature) end
  local usage = usage_of(response.usage) or {}
  usage.total = (usage.prompt or 0) + (usage.completion or 0)
  return json.encode({
    content = table.concat(content),
    reasoning_content = #reasoning > 0 and table.concat(reasoning) or nil,
    finish_reason = FINISH[response.stop_reason] or "stop",
    token_usage = usage,
    tool_calls = #calls > 0 and calls or nil,
  })
end

local function block_start(index, block)
  if block.type == "tool_use" then
    local input = type(block.input) == "table" and next(block.input) ~= nil and json.encode(block.input) or ""
    return {
      tool_calls = {
        { index = index, id = block.id, type = "function", ["function"] = { name = block.name, arguments = input } },
      },
    }
  elseif block.type == "thinking" then
    return { signature = line({ begin = "thinking" }) }
  elseif block.type == "redacted_thinking" then
    return { signature = line({ begin = "redacted" }) .. line({ redacted = block.data }) }
  elseif block.type == "text" and block.text ~= "" then
    return { content = block.text }
  end
end

local function block_delta(index, delta)
  if delta.type == "text_delta" then
    return { content = delta.text }
  elseif delta.type == "input_json_delta" then
    return { tool_calls = { { index = index, ["function"] = { arguments = delta.partial_json } } } }
  elseif delta.type == "thinking_delta" then
    return { reasoning_content = delta.thinking, signature = line({ thinking = delta.thinking }) }
  elseif delta.type == "signature_delta" then
    return { signature = line({ sign = delta.signature }) }
  end
end

function adapter.transform_stream_chunk(data)
  local event = json.decode(data)
  local out
  if event.type == "message_start" then
    out = { token_usage = usage_of(event.message and event.message.usage) }
  elseif event.type == "content_block_start" then
    out = block_start(event.index, event.content_block or {})
  elseif event.type == "content_block_delta" then
    out = block_delta(event.index, event.delta or {})
  elseif event.type == "message_delta" then
    local reason = event.delta and event.delta.stop_reason
    out = { token_usage = usage_of(event.usage), finish_reason = reason and (FINISH[reason] or "stop") or nil }
  elseif event.type == "message_stop" then
    out = { done = true }
  end
  if not out then return "" end
  return json.encode(out)
end

return adapter

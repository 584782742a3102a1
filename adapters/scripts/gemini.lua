-- Gemini's generateContent: contents of parts, function calls without ids, results by name, and thought signatures, which
-- must come back unchanged on the part they came with. A signature that came on a part of its own is kept as "part:" and
-- itself.

local adapter = {
  name = "gemini",
  version = "1.0.0",
  endpoint = "/models/{model}:generateContent",
  stream_endpoint = "/models/{model}:streamGenerateContent?alt=sse",
  headers = { ["x-goog-api-key"] = "{api_key}" },
  accepts = { "thinking", "signature", "name" },
}

local FINISH = {
  STOP = "stop", MAX_TOKENS = "length", SAFETY = "content_filter", RECITATION = "content_filter",
  BLOCKLIST = "content_filter", PROHIBITED_CONTENT = "content_filter", SPII = "content_filter",
  IMAGE_SAFETY = "content_filter", LANGUAGE = "content_filter",
}

-- What the server knows of JSON Schema; anything else in a schema makes it refuse the request.
local KNOWN = {
  type = true, format = true, title = true, description = true, nullable = true, enum = true, items = true,
  properties = true, required = true, minItems = true, maxItems = true, minimum = true, maximum = true,
  minLength = true, maxLength = true, pattern = true, anyOf = true,
}

local function schema_of(schema)
  if type(schema) ~= "table" then return nil end
  local out = {}
  for key, value in pairs(schema) do
    if key == "properties" then
      out.properties = {}
      for name, inner in pairs(value) do out.properties[name] = schema_of(inner) or { type = "string" } end
    elseif key == "items" then
      out.items = schema_of(value)
    elseif key == "anyOf" or key == "oneOf" then
      out.anyOf = {}
      for i, inner in ipairs(value) do out.anyOf[i] = schema_of(inner) end
    elseif key == "const" then
      out.enum = { tostring(value) }
    elseif key == "type" and type(value) == "table" then
      for _, name in ipairs(value) do
        if name == "null" then out.nullable = true else out.type = out.type or name end
      end
    elseif KNOWN[key] then
      out[key] = value
    end
  end
  if out.format and out.type == "string" and out.format ~= "enum" and out.format ~= "date-time" then out.format = nil end
  if out.enum and out.type ~= "string" and out.type ~= nil then out.enum = nil end
  if out.type == "array" and not out.items then out.items = { type = "string" } end
  return out
end

local function declaration(tool)
  local fn = tool["function"]
  local parameters = schema_of(fn.parameters)
  if parameters and (type(parameters.properties) ~= "table" or next(parameters.properties) == nil) then
    parameters = nil
  end
  return { name = fn.name, description = fn.description, parameters = parameters }
end

local function parts_of(content, out)
  if type(content) == "string" then
    if content ~= "" then out[#out + 1] = { text = content } end
    return out
  end
  for _, part in ipairs(content or {}) do
    if part.type == "text" then
      if part.text ~= "" then out[#out + 1] = { text = part.text } end
    elseif part.type == "image_url" then
      local mime, data = part.image_url.url:match("^data:([^;,]+);base64,(.*)$")
      if data then
        out[#out + 1] = { inlineData = { mimeType = mime, data = data } }
      else
        out[#out + 1] = { fileData = { fileUri = part.image_url.url } }
      end
    elseif part.type == "input_audio" then
      local audio = part.input_audio
      out[#out + 1] = { inlineData = { mimeType = "audio/" .. audio.format, data = audio.data } }
    end
  end
  return out
end

local function args_of(arguments)
  local ok, args = pcall(json.decode, arguments or "{}")
  if ok and type(args) == "table" and #args == 0 then return args end
  return json.decode("{}")
end

local function model_parts(message, model, names)
  local out = {}
  local calls = message.tool_calls or {}
  parts_of(message.content, out)
  for i, call in ipairs(calls) do
    local fn = call["function"]
    names[call.id] = fn.name
    local signature = call.signature
    if type(signature) ~= "string" or signature:sub(1, 1) == "{" then signature = nil end
    local own = signature and signature:match("^part:(.*)$")
    if own then
      out[#out + 1] = { text = "", thoughtSignature = own }
      signature = nil
    elseif i == 1 and not signature and model:find("gemini%-[3-9]") then
      -- A call of another model's has no signature; this value says so.
      signature = "skip_thought_signature_validator"
    end
    out[#out + 1] = { functionCall = { name = fn.name, args = args_of(fn.arguments) }, thoughtSignature = signature }
  end
  return out
end

local function result_parts(message, names)
  local texts, others = {}, {}
  for _, part in ipairs(parts_of(message.content, {})) do
    if part.text then texts[#texts + 1] = part.text else others[#others + 1] = part end
  end
  local text = table.concat(texts)
  local ok, value = pcall(json.decode, text)
  local response
  if ok and type(value) == "table" and #value == 0 and text:find("^%s*{") then
    response = value
  else
    response = { result = text }
  end
  local name = message.name or names[message.tool_call_id] or "tool"
  local out = { { functionResponse = { name = name, response = response } } }
  for _, part in ipairs(others) do out[#out + 1] = part end
  return out
end

function adapter.transform_request(text)
  local request = json.decode(text)
  local system, contents, names = {}, {}, {}
  local function add(role, parts)
    if #parts == 0 then return end
    local last = contents[#contents]
    if last and last.role == role then
      for _, part in ipairs(parts) do last.parts[#last.parts + 1] = part end
    else
      contents[#contents + 1] = { role = role, parts = parts }
    end
  end
  for _, message in ipairs(request.messages) do
    if message.role == "system" then
      parts_of(message.content, system)
    elseif message.role == "assistant" then
      add("model", model_parts(message, tostring(request.model), names))
    elseif message.role == "tool" then
      add("user", result_parts(message, names))
    else
      add("user", parts_of(message.content, {}))
    end
  end
  if not contents[1] or contents[1].role ~= "user" then
    table.insert(contents, 1, { role = "user", parts = { { text = "…" } } })
  end
  local body = {
    contents = contents,
    generationConfig = { temperature = request.temperature, maxOutputTokens = request.max_tokens },
  }
  if #system > 0 then body.systemInstruction = { parts = system } end
  if request.thinking then body.generationConfig.thinkingConfig = { includeThoughts = true } end
  if request.tools and #request.tools > 0 then
    local declarations = {}
    for i, tool in ipairs(request.tools) do declarations[i] = declaration(tool) end
    body.tools = { { functionDeclarations = declarations } }
    local mode = ({ auto = "AUTO", none = "NONE", required = "ANY" })[request.tool_choice or "auto"] or "AUTO"
    body.toolConfig = { functionCallingConfig = { mode = mode } }
  end
  return json.encode(body)
end

-- One chunk of a stream and one whole response have the same shape.
local function read(response)
  local content, reasoning, calls, signature = {}, {}, {}, nil
  local candidate = type(response.candidates) == "table" and response.candidates[1] or nil
  local parts = candidate and candidate.content and candidate.content.parts or {}
  for _, part in ipairs(parts) do
    if part.functionCall then
      local call = part.functionCall
      calls[#calls + 1] = {
        id = call.id, name = call.name, arguments = json.encode(call.args or json.decode("{}")),
        signature = part.thoughtSignature,
      }
    elseif part.thought then
      if part.text then reasoning[#reasoning + 1] = part.text end
    else
      if part.text then content[#content + 1] = part.text end
      if part.thoughtSignature and (part.text or "") == "" then signature = "part:" .. part.thoughtSignature end
    end
  end
  local finish
  if candidate and candidate.finishReason and candidate.finishReason ~= "FINISH_REASON_UNSPECIFIED" then
    finish = FINISH[candidate.finishReason] or "stop"
  elseif response.promptFeedback and response.promptFeedback.blockReason then
    finish = "content_filter"
  end
  local usage
  local meta = response.usageMetadata
  if type(meta) == "table" then
    local completion = (meta.candidatesTokenCount or 0) + (meta.thoughtsTokenCount or 0)
    usage = {
      prompt = meta.promptTokenCount or 0, completion = completion,
      total = meta.totalTokenCount or (meta.promptTokenCount or 0) + completion, cached = meta.cachedContentTokenCount,
    }
  end
  return {
    content = table.concat(content), reasoning = #reasoning > 0 and table.concat(reasoning) or nil, calls = calls,
    signature = signature, finish = finish, usage = usage,
  }
end

function adapter.transform_response(text)
  local found = read(json.decode(text))
  local calls = {}
  for i, call in ipairs(found.calls) do
    calls[i] = {
      id = call.id, type = "function", name = call.name, arguments = call.arguments, signature = call.signature,
    }
  end
  if calls[1] and not calls[1].signature then calls[1].signature = found.signature end
  return json.encode({
    content = found.content, reasoning_content = found.reasoning, finish_reason = found.finish or "stop",
    token_usage = found.usage or { prompt = 0, completion = 0, total = 0 },
    tool_calls = #calls > 0 and calls or nil,
  })
end

function adapter.transform_stream_chunk(data)
  local found = read(json.decode(data))
  local out = {
    content = found.content ~= "" and found.content or nil, reasoning_content = found.reasoning,
    finish_reason = found.finish, done = found.finish ~= nil or nil, token_usage = found.usage,
    signature = found.signature,
  }
  if #found.calls > 0 then
    local calls = {}
    for i, call in ipairs(found.calls) do
      calls[i] = {
        id = call.id, type = "function", signature = call.signature,
        ["function"] = { name = call.name, arguments = call.arguments },
      }
    end
    out.tool_calls = calls
  end
  return json.encode(out)
end

return adapter

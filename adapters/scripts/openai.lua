-- needs chat_completions

-- Models that reason take max_completion_tokens, and no temperature but their own.
local function reasons(model)
  return model:find("^o%d") ~= nil or model:find("^gpt%-5") ~= nil
end

return chat_completions({
  name = "openai",
  tune = function(body)
    if reasons(tostring(body.model)) then
      body.max_completion_tokens, body.max_tokens, body.temperature = body.max_tokens, nil, nil
    end
  end,
})

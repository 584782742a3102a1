-- needs chat_completions

return chat_completions({
  name = "deepseek",
  -- Reasoning that led to tool calls must come back with them.
  keeps_reasoning = true,
  tune = function(body, request)
    if request.thinking and not tostring(body.model):find("reasoner", 1, true) then
      body.thinking = { type = "enabled" }
    end
  end,
})

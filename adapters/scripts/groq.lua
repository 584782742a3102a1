-- needs chat_completions

return chat_completions({
  name = "groq",
  tune = function(body, request)
    body.max_completion_tokens, body.max_tokens = body.max_tokens, nil
    if request.thinking then body.reasoning_format = "parsed" end
  end,
})

-- needs chat_completions

-- GitHub Models: names are "publisher/model"; OpenAI's models keep OpenAI's rules.
local function reasons(model)
  return model:find("^openai/o%d") ~= nil or model:find("^openai/gpt%-5") ~= nil
end

return chat_completions({
  name = "github",
  headers = { Accept = "application/vnd.github+json", ["X-GitHub-Api-Version"] = "2022-11-28" },
  tune = function(body)
    if reasons(tostring(body.model)) then
      body.max_completion_tokens, body.max_tokens, body.temperature = body.max_tokens, nil, nil
    end
  end,
})

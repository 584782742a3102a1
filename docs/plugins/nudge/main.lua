-- A reminder. What waits is kept as a setting, so that it outlives a restart.
local plugin = { name = "nudge" }

local function waiting(sdk)
  return sdk.json.decode(sdk.get_setting("waiting"))
end

local function keep(sdk, list)
  sdk.set_setting("waiting", sdk.json.encode(sdk.json.array(list)))
end

local function arm(sdk, one)
  sdk.after(math.max(0, one.due - os.time()), function()
    local left = {}
    for _, other in ipairs(waiting(sdk)) do
      if other.text ~= one.text or other.due ~= one.due then left[#left + 1] = other end
    end
    keep(sdk, left)
    sdk.inject_interrupt("Nudge: " .. one.text, "cli")
  end)
end

function plugin.start(sdk)
  sdk.register_tool({
    name = "nudge_me",
    description = "Reminds of something after some minutes (fractions are allowed)",
    parameters = {
      type = "object",
      properties = { text = { type = "string" }, minutes = { type = "number" } },
      required = { "text", "minutes" },
    },
    handler = function(args)
      local one = { text = args.text, due = os.time() + math.floor(args.minutes * 60) }
      local list = waiting(sdk)
      list[#list + 1] = one
      keep(sdk, list)
      arm(sdk, one)
      return "I will come back to: " .. one.text
    end,
  })
  for _, one in ipairs(waiting(sdk)) do arm(sdk, one) end
end

return plugin

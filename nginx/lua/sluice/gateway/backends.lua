-- Draws the backend of a request, by the weights of the backends.
local sessions = require("sluice.gateway.sessions")

local random = math.random

local _M = {}

-- Each backend has the sum of the shares up to and including its own; the last sum is 1. The first
-- backend also declares the sessions of the rule.
function _M.choose(backends)
  local kept = backends[1].session and sessions.backend(backends)
  if kept then
    return kept
  end
  local draw = random()
  local count = #backends
  for i = 1, count do
    local backend = backends[i]
    if draw < backend.upTo then
      return backend
    end
  end
  return backends[count]
end

return _M

-- Which of several backends gets a request: drawn for each request, by their weights.
local sessions = require("sluice.gateway.sessions")

local random = math.random

local _M = {}

-- The backends have the sums of the shares up to them, of which the last one's is 1.
-- Sessions are declared at the first of them.
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

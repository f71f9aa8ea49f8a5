-- Which of several backends gets a request: drawn for each request, by their weights.
local random = math.random

local _M = {}

-- The backends have the sums of the shares up to them, of which the last one's is 1.
function _M.choose(backends)
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

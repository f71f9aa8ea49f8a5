-- Takes one endpoint after the other. Each worker begins at a random endpoint, so that not all
-- workers begin at the first one.
local random = math.random

local _M = {}

function _M.pick(upstream, tried)
  local endpoints = upstream.endpoints
  local count = #endpoints
  local next_one = (upstream.position or random(count)) % count + 1
  local position = next_one
  while tried and tried[endpoints[position]] do
    position = position % count + 1
    if position == next_one then
      break
    end
  end
  upstream.position = position
  return endpoints[position]
end

return _M

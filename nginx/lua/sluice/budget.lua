-- How long one request may keep its worker busy with patterns that tenants wrote. Each pattern has
-- a limit of steps of its own, but a host may have a thousand of them. Processor time counts and
-- not the clock on the wall, so that a busy machine spends nobody's.
local clock = os.clock

local _M = {}

-- Seconds. A thousand honest patterns take a millisecond or two.
local most = 0.025

-- Looking at the clock costs as much as some patterns do.
local each = 8

local started, tried = 0, 0

-- A request begins. A worker has one at a time between two waits, and patterns wait for nothing.
function _M.begin()
  started, tried = nil, 0
end

-- Another pattern is about to be tried. True where the request has had its share.
function _M.is_spent()
  tried = tried + 1
  if tried % each ~= 0 then
    return false
  end
  if not started then
    started = clock()
    return false
  end
  return clock() - started > most
end

return _M

-- Limits how long one request may keep its worker busy with patterns that tenants wrote. Each
-- pattern has a limit of steps of its own, but a host may have a thousand patterns. The limit is
-- in processor time, because on a busy machine the wall clock also counts the work of others.
local clock = os.clock

local _M = {}

-- The limit in seconds. A thousand ordinary patterns take a millisecond or two.
local most = 0.025

-- Reading the clock costs as much as some patterns do, so it is read before each eighth pattern.
local each = 8

local started, tried = 0, 0

-- Starts the budget of a request. Matching a pattern never waits, so a worker runs the patterns of
-- one request at a time, and one budget per worker is enough.
function _M.begin()
  started, tried = nil, 0
end

-- Counts a pattern, or the conditions of a route, that are about to be tried. Returns true once the
-- budget is spent.
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

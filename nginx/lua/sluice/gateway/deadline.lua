-- Timeouts of a route: for the whole request, and for each try.
local balancer = require("ngx.balancer")
local timeouts = require("sluice.balance.timeouts")

local ngx = ngx
local max = math.max
local min = math.min

-- Seconds. nginx reads 0 as no limit, so the least time is a millisecond.
local least = 0.001
local unlimited = 86400

local _M = { least = least }

-- Returns the seconds until the deadline, or a day if there is none.
function _M.left(var)
  local deadline = tonumber(var.route_deadline)
  return deadline and max(least, deadline - ngx.now()) or unlimited
end

-- Sets the timeouts of the try that is about to begin.
function _M.set()
  local var = ngx.var
  local seconds = min(_M.left(var), tonumber(var.route_attempt) or unlimited)
  local connect, send, read = timeouts.own(var)
  if seconds < unlimited then
    connect, send, read = min(seconds, connect or unlimited), min(seconds, send or unlimited), min(seconds, read or unlimited)
  end
  if connect or send or read then
    balancer.set_timeouts(connect, send, read)
  end
end

-- Ends the connection after the deadline, even if a backend still sends a few bytes from time to
-- time.
function _M.check()
  local deadline = tonumber(ngx.var.route_deadline)
  if deadline and ngx.now() > deadline and not ngx.arg[2] then
    return ngx.ERROR
  end
end

return _M

-- Timeouts of a route: for the whole request, and for each try.
local balancer = require("ngx.balancer")
local timeouts = require("sluice.balance.timeouts")

local ngx = ngx
local max = math.max
local min = math.min

-- Seconds. nginx reads 0 as no limit, so the least time is a millisecond. The longest time is that
-- of a timer of nginx.
local least = 0.001
local longest = 2147483
local usual_connect = longest

local _M = { least = least }

-- Takes the timeout of nginx.conf for connections, in seconds. A route with a long timeout does not
-- wait longer for an endpoint that does not answer at all.
function _M.connect_within(seconds)
  usual_connect = max(least, seconds)
end

-- Returns the seconds until the deadline, or the longest time if there is none.
function _M.left(var)
  local deadline = tonumber(var.route_deadline)
  return deadline and max(least, deadline - ngx.now()) or longest
end

-- Sets the timeouts of the try that is about to begin.
function _M.set()
  local var = ngx.var
  local attempt = tonumber(var.route_attempt)
  local connect, send, read = timeouts.own(var)
  if attempt or tonumber(var.route_deadline) then
    local seconds = min(_M.left(var), attempt or longest)
    connect, send, read = min(seconds, connect or usual_connect), min(seconds, send or longest), min(seconds, read or longest)
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

-- The tries of a request to a backend: their timeouts, the deadline of a route for all of them, and
-- repetitions of a route's request that failed. nginx decides whether a repetition is possible: no
-- byte of an answer may have reached the client, and the body must still be there. A pause before
-- the next try needs a jump back into the location, because nothing can wait while a peer is
-- picked.
local balancer = require("ngx.balancer")
local bodies = require("sluice.gateway.body")

-- Idempotent methods: a repeated request has the same effect as a single one (RFC 9110, 9.2.2).
local repeatable = { GET = true, HEAD = true, PUT = true, DELETE = true, OPTIONS = true, TRACE = true }

-- Seconds. nginx reads 0 as no limit, so the least time is a millisecond. The longest time is that
-- of a timer of nginx.
local least = 0.001
local longest = 2147483
local usual_connect = longest

local _M = {}

-- Takes the timeout of nginx.conf for connections, in seconds. A route with a long timeout does not
-- wait longer for an endpoint that does not answer at all.
function _M.connect_within(seconds)
  usual_connect = math.max(least, seconds)
end

-- Returns the seconds until the deadline, or the longest time if there is none.
local function left(var)
  local deadline = tonumber(var.route_deadline)
  return deadline and math.max(least, deadline - ngx.now()) or longest
end

-- Sets the timeouts of the try that is about to begin. $route_timeouts has the seconds to connect,
-- to send and to read, such as `5 - 60`; where it has none, nginx.conf decides.
function _M.set_timeouts(limited)
  local var = ngx.var
  local connect, send, read = string.match(var.route_timeouts or "", "^(%S+) (%S+) (%S+)$")
  connect, send, read = tonumber(connect), tonumber(send), tonumber(read)
  local attempt = limited and tonumber(var.route_attempt)
  if attempt or limited and tonumber(var.route_deadline) then
    local seconds = math.min(left(var), attempt or longest)
    connect = math.min(seconds, connect or usual_connect)
    send, read = math.min(seconds, send or longest), math.min(seconds, read or longest)
  end
  if connect or send or read then
    balancer.set_timeouts(connect, send, read)
  end
end

-- Ends the connection after the deadline, even if a backend still sends a few bytes from time to
-- time.
function _M.check_deadline()
  local deadline = tonumber(ngx.var.route_deadline)
  if deadline and ngx.now() > deadline and not ngx.arg[2] then
    return ngx.ERROR
  end
end

-- Returns the last value of a variable that has one value for each try. The present try may have no
-- value yet, so an empty place at the end is skipped.
local function last(values)
  return string.match(values or "", "([%d.%-]+)[%s:]*$")
end

-- Returns whether a repetition is safe: the backend has answered with a status that may be tried
-- again, the method is idempotent, or no byte of the request was sent.
local function is_safe(var)
  return last(var.upstream_header_time) ~= "-"
    or repeatable[var.request_method]
    or last(var.upstream_bytes_sent) == "0"
end

-- `what` is a status to answer with, or "try". In this phase nginx turns any other code into 500,
-- which leads to $route_again.
local function come_back(var, what)
  var.route_next = what
  var.route_again = var.route_shape
  ngx.exit(ngx.ERROR)
end

-- Runs before a peer is picked. Returns whether another try may follow if this one fails; the
-- request may have `retries`, and `made` tries are done.
function _M.may_fail(retries, made, has_failed)
  if has_failed then
    local var = ngx.var
    local pause = tonumber(var.route_backoff) or 0
    -- After a pause nginx sends only what it still has of the body.
    if made > retries or not is_safe(var) or pause > 0 and not bodies.is_whole(var) then
      local _, status = balancer.get_last_failure()
      come_back(var, status == 504 and "504" or "502")
    elseif left(var) <= math.max(pause, least) then
      come_back(var, "504")
    elseif pause > 0 then
      come_back(var, "try")
    end
  end
  return made < retries
end

-- Runs in the access phase, after all guards. Returns false if this has run before for the request,
-- so that its filters run only once.
function _M.enter()
  local var = ngx.var
  local what = var.route_next
  if not what or what == "" then
    return true
  elseif what ~= "try" then
    return ngx.exit(tonumber(what))
  end
  ngx.sleep(tonumber(var.route_backoff))
  return false
end

return _M

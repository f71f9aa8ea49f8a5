-- The timeouts of a route towards its backend, where annotations set some: data, so that a new
-- value needs no reload.
local balancer = require("ngx.balancer")

local ngx = ngx
local match = string.match
local tonumber = tonumber

local _M = {}

-- Seconds to connect, to send and to read of the request; nil where nginx.conf says it. Their text
-- is like `5 - 60`.
function _M.own(var)
  local text = var.route_timeouts
  if not text or text == "" then
    return nil
  end
  local connect, send, read = match(text, "^(%S+) (%S+) (%S+)$")
  return tonumber(connect), tonumber(send), tonumber(read)
end

-- For the try that is about to begin.
function _M.set()
  balancer.set_timeouts(_M.own(ngx.var))
end

return _M

-- Timeouts of a route towards its backend, if annotations set some. They are data, so a new
-- value needs no reload.
local balancer = require("ngx.balancer")

local ngx = ngx
local match = string.match
local tonumber = tonumber

local _M = {}

-- Returns the seconds to connect, to send and to read. A value is nil if nginx.conf decides. The
-- variable's text looks like `5 - 60`.
function _M.own(var)
  local text = var.route_timeouts
  if not text or text == "" then
    return nil
  end
  local connect, send, read = match(text, "^(%S+) (%S+) (%S+)$")
  return tonumber(connect), tonumber(send), tonumber(read)
end

-- Sets the timeouts of the try that is about to begin.
function _M.set()
  balancer.set_timeouts(_M.own(ngx.var))
end

return _M

-- Decides which origins may read the answers of a location. The list is data of its route, so that
-- another one needs no reload.
local regex = require("sluice.regex")

local ngx = ngx

local _M = {}

-- Returns the origin that the answer names. The result is empty if the request's origin is not
-- allowed. The list is `*`, or a pattern that takes few steps, because translation made it from
-- plain origins.
function _M.origin()
  local var = ngx.var
  local allowed = var.route_cors_origins
  if allowed == "*" then
    return allowed
  end
  local origin = var.http_origin
  -- The budget of the request served its routing, and the answer arrives later.
  regex.begin(regex.most / 16)
  return origin and regex.takes(regex.beginning, origin, allowed) and origin or ""
end

return _M

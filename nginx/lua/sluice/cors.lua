-- Which origins may read the answers of an Ingress's location: data of its route, so that another
-- list needs no reload.
local ngx = ngx

local _M = {}

-- The origin that the answer names; empty where the request's is not allowed. The list is `*`, or a
-- pattern that translation has made of plain origins, so it takes few steps.
function _M.origin()
  local var = ngx.var
  local allowed = var.route_cors_origins
  if allowed == "*" then
    return allowed
  end
  local origin = var.http_origin
  return origin and ngx.re.find(origin, allowed, "ijo") and origin or ""
end

return _M

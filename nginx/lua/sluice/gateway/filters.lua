-- Applies the filters of a route before the request jumps to its shape: another path, another host,
-- a deadline. Changes that come later in the request travel with it as text.
local auth = require("sluice.gateway.auth")
local rest = require("sluice.gateway.rest")
local route = require("sluice.route")

local ngx = ngx

local _M = {}

local function rewrite(change)
  local var = ngx.var
  if change.hostname then
    var.route_host = change.hostname
  end
  local path = change.path
  if path then
    -- The path may hold any byte, because nginx escapes it towards the backend.
    ngx.req.set_uri(path[2] and rest.joined(path, var.uri) or path[1], false, true)
  end
end

-- `shape` is the location that the request is about to jump to, and `uri` its decoded path.
function _M.run(filters, shape, uri)
  local var = ngx.var
  if filters.steering then
    var.route_steering = filters.steering
    if not ngx.req.is_internal() then
      var.route_uri = uri
    end
  end
  if filters.request then
    var.route_deadline = ngx.req.start_time() + filters.request
  end
  if filters.attempt then
    var.route_attempt = filters.attempt
  end
  if filters.retries then
    var.route_retries = filters.retries
    var.route_backoff = filters.backoff
    var.route_shape = shape
    var.route_failed = route.names.undecided
  end
  if filters.auth then
    auth.prepare(filters.auth)
  end
  -- Backends of one location may share a shape, although only some of them change the host.
  var.route_host = var.best_http_host
  if filters.rewrite then
    rewrite(filters.rewrite)
  end
end

return _M

-- Answers that a route gives by itself: redirects, and preflights of browsers (CORS). The router
-- sets variables, and the shape answers by them.
local cors = require("sluice.policies.cors")
local rest = require("sluice.gateway.rest")
local rewrite = require("sluice.route.rewrite")

local ngx = ngx
local find = string.find
local gsub = string.gsub

local _M = {}

local usual_ports = { http = 80, https = 443 }

-- Returns the address that a redirect leads to.
local function location_of(redirect, scope)
  local var = ngx.var
  local own = var.pass_access_scheme
  local scheme = redirect.scheme or own
  local to = redirect.port
  if not to then
    -- A proxy in front received the request over another scheme, so the port is the usual one of
    -- that scheme.
    local usual = own == var.scheme and scope.usual or usual_ports
    local known = redirect.scheme or own ~= var.scheme
    to = known and usual[scheme] or scope.port
  end
  local host = redirect.hostname or var.host
  local authority = to == usual_ports[scheme] and host or host .. ":" .. to
  local path = redirect.path
  if not path then
    return scheme .. "://" .. authority .. rewrite.origin_form(var)
  end
  local changed = path[2] and rest.replaced(path, var.uri, var.request_uri) or path[1]
  local query = var.args
  return scheme .. "://" .. authority .. changed .. (query and query ~= "" and "?" .. query or "")
end

-- Returns true if the route answers the request by itself.
function _M.of(filters, scope)
  local var = ngx.var
  if filters.cors and cors.is_preflight(var) then
    var.route_answer = "204"
    return true
  end
  local redirect = filters.redirect
  if redirect then
    var.route_answer = redirect.status
    var.route_location = gsub(location_of(redirect, scope), "[%c ]", rest.percent)
    return true
  end
  return false
end

return _M

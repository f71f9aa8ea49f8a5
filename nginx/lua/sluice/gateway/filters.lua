-- Applies the filters of a route: answers by itself (redirects, and preflights of browsers), and
-- changes before the request jumps to its shape (another path, another host, a deadline). Changes
-- that come later in the request travel with it as text (steer.lua).
local auth = require("sluice.gateway.auth")
local cors = require("sluice.policies.cors")
local match = require("sluice.route.match")
local regex = require("sluice.regex")
local rest = require("sluice.gateway.rest")
local rewriting = require("sluice.route.rewrite")

local _M = {}

-- Returns the path as the client wrote it, if that may differ from the decoded one; nil after an
-- internal redirect, for which nginx takes a rewrite, too.
local function written(var)
  return not ngx.req.is_internal() and rest.written(rewriting.origin_form(var)) or nil
end

-- Makes the backend get this path in place of the rewritten one, unless it is nil or the location's
-- own text changes the path once more.
function _M.send(path)
  local var = ngx.var
  if path then
    var.route_target = path .. (var.is_args or "") .. (var.args or "")
    var.route_uri = var.uri
  end
end

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
    return scheme .. "://" .. authority .. rewriting.origin_form(var)
  end
  local changed = path[2] and rest.replaced(path, var.uri, var.request_uri) or path[1]
  local query = var.args
  return scheme .. "://" .. authority .. changed .. (query and query ~= "" and "?" .. query or "")
end

-- Returns true if the route answers the request by itself. The router sets variables, and the shape
-- answers by them.
function _M.answer(filters, scope)
  local var = ngx.var
  if filters.cors and cors.is_preflight(var) then
    var.route_answer = "204"
    return true
  end
  local redirect = filters.redirect
  if redirect then
    var.route_answer = redirect.status
    var.route_location = rewriting.escape(location_of(redirect, scope), "[%c ]")
    return true
  end
  return false
end

local function rewrite(change)
  local var = ngx.var
  if change.hostname then
    var.route_host = change.hostname
  end
  local path = change.path
  if path then
    -- The path may hold any byte, because nginx escapes it towards the backend.
    local uri = var.uri
    local raw = path[2] and written(var)
    ngx.req.set_uri(path[2] and rest.joined(path, uri) or path[1], false, true)
    _M.send(raw and rest.spelled(path, uri, raw))
  end
end

-- Returns the path after a rewrite by a pattern and a target, { pattern, 0, target }, with groups
-- as the client wrote them, or nil. `groups` are those of the decoded path.
function _M.spelled(target, groups)
  local var = ngx.var
  local raw = not target[3]:find("${", 1, true) and written(var)
  local found = raw and regex.groups(regex.whole, raw, target[1])
  local own = found and rest.spelled_groups(groups, found)
  return own and (rewriting.expand(target[3], own):gsub("^//+", "/"))
end

-- `shape` is the location that the request is about to jump to, and `uri` its decoded path.
function _M.apply(filters, shape, uri)
  local var = ngx.var
  if filters.steering then
    var.route_steering = filters.steering
    if not ngx.req.is_internal() and var.route_target == "" then
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
    var.route_failed = match.names.undecided
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

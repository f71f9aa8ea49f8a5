-- Applies the filters of a route before the request jumps to its shape: another path, another host,
-- a deadline. Changes that come later in the request travel with it as text.
local auth = require("sluice.gateway.auth")
local rest = require("sluice.gateway.rest")
local regex = require("sluice.regex")
local rewriting = require("sluice.route.rewrite")
local route = require("sluice.route")

local ngx = ngx
local find = string.find
local gsub = string.gsub

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
  local raw = not find(target[3], "${", 1, true) and written(var)
  local found = raw and regex.groups(regex.whole, raw, target[1])
  local own = found and rest.spelled_groups(groups, found)
  return own and (gsub(rewriting.expand(target[3], own), "^//+", "/"))
end

-- `shape` is the location that the request is about to jump to, and `uri` its decoded path.
function _M.run(filters, shape, uri)
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

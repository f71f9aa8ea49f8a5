-- The ways into a router. A router is a module with a function `target` (see route.lua), which
-- returns the named location where nginx is to continue, and facts about the request.
local hosts = require("sluice.route.hosts")
local regex = require("sluice.regex")
local request = require("sluice.route.request")
local store = require("sluice.store")
local traces = require("sluice.route.traces")

local ngx = ngx

local _M = {}

-- For some servers, the shape whose text `location /` has as well, and whether that text also takes
-- requests with a body. The others jump, because nginx limits no bodies in `location /`.
local in_place, takes_bodies = {}, {}

function _M.in_place(slot, shape, any_body)
  in_place[slot], takes_bodies[slot] = shape, any_body
end

-- The name of the location that makes nginx close the connection after the answer.
local closing

function _M.use_closing(name)
  closing = name
end

-- Returns the location where nginx is to continue to reach the target, when it is about to end.
function _M.closing(target)
  ngx.var.s_closing = target
  return closing
end

-- Runs in `location /`, and returns the label of the upstream for $proxy_upstream_name. It sets
-- $s_at to the location where nginx is to continue, or leaves it empty if the text in place serves
-- the request. An internal redirect, such as that of an error page, cannot continue in this
-- way: it sets $s_inner, for `jump`.
function _M.run(router, slot)
  local var = ngx.var
  if ngx.req.is_internal() then
    var.s_at, var.s_inner = "", "1"
    return var.proxy_upstream_name
  end
  local host, uri, no_length, no_body = request.plain()
  regex.begin()
  local target, upstream, label, is_usual = router.target(slot, host, uri, no_length)
  if upstream then
    var.s_to = upstream
  end
  if store.closing() then
    var.s_at = _M.closing(target)
  elseif not is_usual or target ~= in_place[slot] or not (no_body or takes_bodies[slot]) then
    var.s_at = target
  end
  return label or var.proxy_upstream_name or ""
end

-- Routes the request, sets its upstream, and returns the location where nginx is to continue.
function _M.target(router, slot)
  local var = ngx.var
  if ngx.req.is_internal() then
    traces.remove()
  end
  regex.begin()
  local target, upstream, label = router.target(slot)
  if upstream then
    var.s_to, var.proxy_upstream_name = upstream, label
  end
  return target
end

-- Finds the target of a request by the `find` of a router, in the present generation. `host` and
-- `uri` are given if they are known and the request has no X-Forwarded-For. `find` takes the
-- arguments slot, generation, shapes, host, uri, is_plain and no_length, and returns the values of
-- a router's `target`. It returns nil and the name of the shape if the server lacks that shape, and
-- is then called once more with the `shapes` that the server has. `names` has the locations for
-- requests without a host, and for those whose shape the server still lacks.
function _M.find(find, shapes, names, slot, host, uri, no_length)
  local is_plain = host ~= nil
  if not is_plain then
    local var = ngx.var
    host, uri = hosts.of(var), var.uri
  end
  if not host or not hosts.is_host(host) then
    return names.contrary_host
  end
  local generation = store.generation()
  local target, upstream, label, is_usual = find(slot, generation, nil, host, uri, is_plain, no_length)
  if target ~= nil then
    return target, upstream, label, is_usual
  end
  local shape = upstream
  target, upstream, label = find(slot, generation, shapes, host, uri, is_plain, no_length)
  if target ~= nil then
    return target, upstream, label
  end
  ngx.log(ngx.WARN, "no shape ", shape, " in this configuration, for ", host)
  return names.unknown_shape
end

-- Ends the phase by a jump to the location.
function _M.jump(router, slot)
  return ngx.exec(_M.target(router, slot))
end

return _M

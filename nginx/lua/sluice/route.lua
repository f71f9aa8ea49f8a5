-- Finds the shape of a request: the named location that serves it. The router only routes: it
-- returns the location's name, and nginx jumps there. Other findings (no endpoints, too large,
-- denied) go into variables, and the shape answers by them, so that its error pages, headers and
-- log apply. A port has one listener for all hosts (match.lua), or several listeners
-- (listeners.lua); the record of a host has one form for both.
local backends = require("sluice.gateway.backends")
local canary = require("sluice.canary")
local filters_of_routes = require("sluice.gateway.filters")
local hosts = require("sluice.route.hosts")
local label = require("sluice.route.label")
local listeners = require("sluice.route.listeners")
local match = require("sluice.route.match")
local regex = require("sluice.regex")
local request = require("sluice.route.request")
local rewrite = require("sluice.route.rewrite")
local route_variables = require("sluice.route.variables")
local store = require("sluice.store")
local traces = require("sluice.route.traces")

local ngx = ngx
local find = string.find
local gsub = string.gsub
local locate = listeners.locate
local max = math.max
local own = match.names
local type = type

local _M = {}

-- LuaJIT compiles a request as one piece only if it needs no more constants than this. A request of
-- a route needs a few more than 500, which is the default.
jit.opt.start("maxirconst=1000")

-- The shapes of each server of this configuration. Shared memory may be newer than this worker's
-- text: a jump to a location that its server lacks would be a 500.
local shapes_of = {}

function _M.know(slot, names)
  local shapes = { is_shared = slot == "" }
  for _, name in ipairs(names) do
    shapes[name] = true
  end
  shapes_of[slot] = shapes
end

-- For some servers, the shape whose text `location /` has as well, and whether that text also takes
-- requests with a body. The others jump, because nginx limits no bodies in `location /`.
local in_place, takes_bodies = {}, {}

function _M.in_place(slot, shape, any_body)
  in_place[slot], takes_bodies[slot] = shape, any_body
end

-- The variables that this configuration reads.
_M.use_variables = route_variables.use

-- Returns the upstream that answers in place of one without endpoints: the named one, or the
-- default backend if the named one has no endpoints either.
local function stand_in(named, generation)
  local upstream = store.get("upstream", named.upstream, generation)
  if upstream and #upstream.endpoints > 0 then
    return named.upstream, upstream
  end
  return "default", store.get("upstream", "default", generation) or {}
end

-- The most hops with which a request is accepted (src/core/tokens/hops.ts).
local most_hops = 5

local function hops_in(trail)
  local _, hops = gsub(trail, "[,-]", "")
  return hops
end

-- Returns whether the request, which carries `hop`, comes from this location itself or would have
-- too many hops with its own.
local function comes_back(hop)
  local trail = ngx.var.http_x_sluice_hops
  if not trail then
    return false
  end
  local most = max(most_hops - hops_in(hop) - 1, 1)
  return hops_in(trail) > most or find(trail, hop, 1, true) ~= nil
end

-- Returns whether a request with X-Forwarded-For has come through too many locations. Requests that
-- Sluice sends to backends have X-Scheme, too. X-Sluice-Hops, which the request carries on, counts
-- this return.
local function goes_round(var)
  local trail = var.http_x_sluice_hops
  if not trail and not var.http_x_scheme or ngx.req.is_internal() then
    return false
  end
  trail = trail or ""
  local hops = hops_in(trail)
  if hops == 0 then
    trail = trail .. "-"
  end
  ngx.req.set_header("X-Sluice-Hops", trail .. "-")
  return hops > most_hops
end

local none = {}

-- Rewrites the path, by the target of the location or by that of the path's item.
local function change_path(location, item, groups, uri, filters)
  local target = location.rewrite
  if not target then
    if not location.route then
      rewrite.run(location, item, groups, uri)
    end
  elseif not (filters and filters.rewrite and filters.rewrite.path) then
    local found = target[1] ~= "" and regex.groups(regex.whole, uri, target[1]) or none
    local own = found ~= none and filters_of_routes.spelled(target, found)
    rewrite.run(location, target, found, uri)
    filters_of_routes.send(own)
  end
end

-- Returns the location that serves the request, and, if the request has an upstream, its id, its
-- label, and whether the request is usual: a backend may get it, and its path and length are right.
-- Returns nil and the name of the shape if the server lacks it. With `shapes`, it takes records
-- of hosts in the youngest form that needs only these. `is_plain` says that the request has no
-- X-Forwarded-For; `no_length` says that it has no Content-Length either.
local function target_of(slot, generation, shapes, host, uri, is_plain, no_length)
  local var = ngx.var
  local location, record, tls, item, groups, slash, listener, scope, shared
  local at_listeners = locate[slot]
  if at_listeners then
    location, record, item, groups, slash, listener, scope, shared =
      at_listeners(slot, host, uri, generation, shapes)
  end
  if location and record then
    tls = record.tls
  elseif not location then
    location, record, tls, item, groups, slash = match.locate(host, uri, generation, shapes, record)
  end
  if type(location) == "string" then
    return location
  elseif location.to then
    var.route_www = location.to
    return own.www
  end
  local is_route = location.route ~= nil
  if record.root and uri == "/" and not is_route then
    var.route_app_root = rewrite.expand(record.root, match.label(record, host))
    return own.app_root
  end

  local known = shapes_of[slot]
  local backend, filters = location, location.filters
  if location.backends then
    backend = backends.choose(location.backends)
  end
  local shape = backend.shape or location.shape
  -- Until nginx has the server block of the host, it is served as before.
  if not known[shape] or record.text and known.is_shared then
    return nil, shape
  end
  if is_route then
    if shared then
      var.route_beside = "1"
    end
    if filters and filters_of_routes.answer(filters, scope) then
      var.route_steering = filters.steering
      route_variables.set(location, none, location, listener)
      return shape
    end
    if backend.unusable then
      route_variables.set(location, none, backend, listener)
      -- Both locations answer with an error. They differ in the status, because gRPC clients read
      -- 503 as UNAVAILABLE.
      return backend.unusable == 503 and own.unknown_shape or own.undecided
    end
    filters = backend.filters or filters
  end

  local upstream_id = backend.upstream
  local upstream = store.get("upstream", upstream_id, generation)
  local served = upstream and #upstream.endpoints > 0
  local substituted = false
  local named = location.standIn
  if named then
    local id, other = stand_in(named, generation)
    var.route_error_upstream = id
    var.route_error_name = other.label
    if not served and id ~= "default" then
      shape, upstream_id, upstream, served, substituted = named.shape, id, other, true, true
      if not known[shape] then
        return nil, shape
      end
    end
  end
  if not served then
    var.route_unserved = "1"
  elseif location.canaries and not substituted then
    local id, alternative = canary.choose(location.canaries, upstream, generation)
    if id then
      upstream_id = id
      var.proxy_alternative_upstream_name = alternative.label
    end
  end
  if location.sticky then
    var.route_sticky = location.sticky
  end
  if record.certificate then
    var.route_certificate = record.certificate
  end
  if tls and not is_route then
    var.route_tls = "1"
  end
  local upstream_name = upstream and upstream.label or upstream_id
  local is_usual = served and not slash
  local limit = not no_length and location.limit
  if limit then
    local length = tonumber(var.content_length)
    if length and length > limit then
      var.route_too_large = "1"
      is_usual = false
    end
  end
  if slash then
    var.route_slash = slash
  end
  route_variables.set(location, groups or (is_route and none) or match.label(record, host), backend, listener)
  change_path(location, item, groups, uri, filters)
  if filters then
    filters_of_routes.apply(filters, shape, uri)
  end
  local variables = location.variables
  if variables then
    for name, value in pairs(variables) do
      var["route_" .. name] = value
    end
    if variables.hop and comes_back(variables.hop) then
      var.route_loops = "1"
    end
  end
  -- `steering` has changes to headers, and one of them may remove X-Forwarded-For.
  if (filters and filters.steering or not is_plain and var.http_x_forwarded_for) and goes_round(var) then
    return own.circle, upstream_id, upstream_name
  end
  return shape, upstream_id, upstream_name, is_usual
end

-- Finds the target of a request in the present generation. `host` and `uri` are given if they are
-- known and the request has no X-Forwarded-For. Returns the named location where nginx is to
-- continue, then the same values as target_of.
local function target_now(slot, host, uri, no_length)
  local is_plain = host ~= nil
  if not is_plain then
    local var = ngx.var
    host, uri = hosts.of(var), var.uri
  end
  if not host or not hosts.is_host(host) then
    return own.contrary_host
  end
  local generation = store.generation()
  local target, upstream, name, is_usual = target_of(slot, generation, nil, host, uri, is_plain, no_length)
  if target ~= nil then
    return target, upstream, name, is_usual
  end
  local shape = upstream
  target, upstream, name = target_of(slot, generation, shapes_of[slot], host, uri, is_plain, no_length)
  if target ~= nil then
    return target, upstream, name
  end
  ngx.log(ngx.WARN, "no shape ", shape, " in this configuration, for ", host)
  return own.unknown_shape
end

-- Returns the location where nginx is to continue to reach the target, when it is about to end.
local function closing(target)
  ngx.var.s_closing = target
  return own.closing
end

-- Runs in `location /`, and returns the label of the upstream for $proxy_upstream_name. It sets
-- $s_at to the location where nginx is to continue, or leaves it empty if the text in place serves
-- the request. An internal redirect, such as that of an error page, cannot continue in this
-- way: it sets $s_inner, for `jump`.
function _M.run(slot)
  local var = ngx.var
  if ngx.req.is_internal() then
    var.s_at, var.s_inner = "", "1"
    return var.proxy_upstream_name
  end
  local host, uri, no_length, no_body = request.plain()
  regex.begin()
  local target, upstream, name, is_usual = target_now(slot, host, uri, no_length)
  if upstream then
    var.s_to = upstream
  end
  if store.closing() then
    var.s_at = closing(target)
  elseif not is_usual or target ~= in_place[slot] or not (no_body or takes_bodies[slot]) then
    var.s_at = target
  end
  return name or var.proxy_upstream_name or ""
end

-- Routes the request, sets its upstream, and returns the location where nginx is to continue.
local function target(slot)
  local var = ngx.var
  if ngx.req.is_internal() then
    traces.remove()
  end
  regex.begin()
  local found, upstream, name = target_now(slot)
  if upstream then
    var.s_to, var.proxy_upstream_name = upstream, name
  end
  return found
end

-- Ends the phase by a jump to the location.
function _M.jump(slot)
  return ngx.exec(target(slot))
end

-- Runs in a location that is a shape itself. Returns an empty text if the router chooses this
-- shape, else the named location where nginx is to continue.
function _M.here(slot, shape)
  local found = target(slot)
  if store.closing() then
    return closing(found)
  end
  return found == shape and "" or found
end

-- Returns the upstream that $proxy_upstream_name names after a snippet has set it.
_M.renamed = label.renamed

-- Returns the upstream that it names in a location of a server-snippet.
_M.named = label.named

-- Runs in locations of snippets: sets the router's variables, and keeps the upstream that the
-- snippet itself has set.
function _M.inside(slot)
  local var = ngx.var
  if var.s_to ~= "" then
    return
  end
  local named = var.proxy_upstream_name
  target(slot)
  if named ~= "" then
    var.proxy_upstream_name = named
    var.s_to = label.upstream(named, store.generation())
  end
end

return _M

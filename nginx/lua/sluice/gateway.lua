-- The router of the ports of Gateways. It finds the listener by port and host, then the listener's
-- host, and then a shape as route.lua does for the hosts of Ingresses.
local answer = require("sluice.gateway.answer")
local apply = require("sluice.gateway.filters")
local entry = require("sluice.route.entry")
local forms = require("sluice.route.forms")
local label = require("sluice.gateway.label")
local backends = require("sluice.gateway.backends")
local match = require("sluice.route.match")
local paths = require("sluice.gateway.paths")
local patterns = require("sluice.patterns")
local regex = require("sluice.regex")
local route = require("sluice.route")
local scopes = require("sluice.gateway.scope")
local route_settings = require("sluice.gateway.settings")
local shadow = require("sluice.gateway.shadow")
local store = require("sluice.store")

local ngx = ngx
local find = string.find
local gsub = string.gsub
local lower = string.lower
local random = math.random
local sub = string.sub

local own, shapes_of = route.names, route.shapes_of

local _M = {}

local function server_address()
  return ngx.var.server_addr
end

-- Returns the host's newest record. With `shapes`, it returns the newest form that a server with
-- only these shapes can serve.
local function get(name, generation, shapes)
  if shapes then
    return forms.served(name, generation, shapes)
  end
  return store.get("host", name, generation)
end

-- Returns whether an Ingress has this name, the host itself or the wildcard one label above it.
local function has_namesake(name, generation)
  return store.get("host", name, generation) ~= nil
end

-- Returns whether an Ingress has an alias that is a pattern and matches the host.
local function has_pattern(host, generation)
  local list = store.get("patterns", "", generation)
  return list ~= nil and patterns.match(list, host) ~= nil
end

-- Returns the location that takes the request, and the name of the host by which it was found: the
-- host itself, else the longest wildcard above it that has a route for the request, else the host
-- for all names. Returns nil if no route takes the request, and false if that could not be
-- found out. On a port that is `shared` with Ingresses it returns `paths.namesake` if an Ingress
-- has the request: by the table of a name that both have, or by a more specific name than any
-- route's. The name is then false for an alias that is a pattern. It also returns `paths.namesake`
-- for a path that Sluice answers itself, such as the health path, where only a route for all hosts
-- takes the request on the listener for `all` hosts. The third value, behind nil, says that a route
-- names the host.
local function location_of(listener, host, uri, generation, shapes, shared, all)
  local scope = listener.before_host
  if not scope then
    scope = listener.id .. " "
    listener.before_host = scope
  end
  local record = get(scope .. host, generation, shapes)
  local is_named = record ~= nil
  local location = record and paths.find(record, uri)
  if location ~= nil then
    return location, host
  elseif shared and not record and has_namesake(host, generation) then
    return paths.namesake, host
  end
  local dot = find(host, ".", 2, true)
  local first = dot
  while dot do
    local name = "*" .. sub(host, dot)
    record = get(scope .. name, generation, shapes)
    is_named = is_named or record ~= nil
    location = record and paths.find(record, uri, dot ~= first)
    if location ~= nil then
      return location, name
    elseif shared and dot == first and not record and has_namesake(name, generation) then
      return paths.namesake, name
    end
    dot = find(host, ".", dot + 1, true)
  end
  if shared and has_pattern(host, generation) then
    return paths.namesake, false
  end
  record = get(scope .. "_", generation, shapes)
  if record and shared and listener == all and not is_named and route.own_location(record, uri) then
    return paths.namesake, "_"
  end
  return record and paths.find(record, uri), "_", is_named
end

-- Returns whether an Ingress would send the request to a Service, or redirect it, if no route took
-- it.
local function is_wanted(host, uri, generation, shapes)
  local record = match.host(host, generation, shapes)
  if not record then
    return false
  elseif record.to or record.root and uri == "/" then
    return true
  end
  local location = match.path(record, uri)
  return location ~= nil and location ~= false and location.service ~= nil
end

-- Returns whether the request belongs to the share that a route leaves to an Ingress.
local function stays(share, host, uri, generation, shapes)
  return random() >= share and is_wanted(host, uri, generation, shapes)
end

-- The servers of listeners that have one apart, by the listener's id, and the same servers by their
-- own names.
local homes, apart = {}, {}

function _M.house(slot, listeners)
  apart[slot] = slot
  for _, id in ipairs(listeners) do
    homes[id] = slot
  end
end

-- Returns whether the client used the wrong connection, because the name in its handshake led to
-- another listener. Without a name in the handshake the Host header alone decides.
local function is_misdirected(scope, listener)
  local name = ngx.var.ssl_server_name
  if not name or name == "" then
    return false
  end
  return scopes.listener(scope, (gsub(lower(name), "%.$", ""))) ~= listener
end

-- Returns what target_of of route.lua returns, for the same arguments. On a port that is `shared`
-- with Ingresses, false means that an Ingress has the request.
local function target_of(slot, generation, shapes, host, uri, is_plain, no_length, shared)
  local var = ngx.var
  local scope = scopes.of(var.server_port, server_address, generation)
  if not scope then
    return not shared and route.nothing()
  end
  local nothing = not shared and own.unrouted
  local listener = scopes.listener(scope, host)
  if not listener then
    return nothing
  elseif homes[listener.id] ~= apart[slot] then
    -- This worker's text is older than the listeners, and their guards are text.
    return own.misdirected
  end
  local location, level, is_named = location_of(listener, host, uri, generation, shapes, shared, scope.any)
  if listener.shadow and not shapes then
    -- Patterns of routes in shadow must not use up the steps of the routes that serve.
    local rest = regex.rest()
    regex.begin(regex.most / 4)
    shadow.observe(listener, host, uri, location, level, shared, generation)
    regex.go_on_with(rest)
  end
  if location == paths.namesake then
    return false
  elseif shared and location and location.share and stays(location.share, host, uri, generation, shapes) then
    return false
  elseif scope.tls and is_misdirected(scope, listener) then
    return own.misdirected
  elseif not location then
    return location == false and own.undecided or nothing, is_named
  end

  local filters = location.filters
  local backend = location.backends and backends.choose(location.backends) or location
  local shape = backend.shape or location.shape
  if not shapes_of[slot][shape] then
    return nil, shape
  end
  if shared then
    var.route_beside = "1"
  end
  if filters and answer.of(filters, scope) then
    var.route_steering = filters.steering
    label.tell(location, location, listener)
    return shape
  end
  if backend.unusable then
    label.tell(location, backend, listener)
    -- Both locations answer with an error. They differ in the status, because gRPC clients read 503
    -- as UNAVAILABLE.
    return backend.unusable == 503 and own.unknown_shape or own.undecided
  end
  local upstream_id = backend.upstream
  local upstream = store.get("upstream", upstream_id, generation)
  local served = upstream and #upstream.endpoints > 0
  filters = backend.filters or filters
  local settings = location.settings
  if settings then
    local id, other, another = route_settings.stand_in(settings, served, generation)
    if id then
      upstream_id, upstream, shape, served = id, other, another, true
      if not shapes_of[slot][shape] then
        return nil, shape
      end
    end
    route_settings.run(location, settings, filters)
  end
  if not served then
    var.route_unserved = "1"
  end
  label.tell(location, backend, listener)
  if filters then
    apply.run(filters, shape, uri)
  end
  local upstream_name = upstream and upstream.label or upstream_id
  local is_usual = served
  local limit = not no_length and location.limit
  if limit then
    local length = tonumber(var.content_length)
    if length and length > limit then
      var.route_too_large = "1"
      is_usual = false
    end
  end
  local variables = location.variables
  if variables then
    for name, value in pairs(variables) do
      var["route_" .. name] = value
    end
    if variables.hop and route.comes_back(variables.hop) then
      var.route_loops = "1"
    end
  end
  -- `steering` has changes to headers, and one of them may remove X-Forwarded-For.
  if (filters and filters.steering or not is_plain and var.http_x_forwarded_for) and route.goes_round(var) then
    return own.circle, upstream_id, upstream_name
  end
  return shape, upstream_id, upstream_name, is_usual
end

-- Returns the named location where nginx is to continue, then the same values as target_of.
function _M.target(slot, host, uri, no_length)
  return entry.find(target_of, shapes_of[slot], own, slot, host, uri, no_length, false)
end

-- Does the same on a port that Ingresses use, too. Returns false if the request belongs to an
-- Ingress, and then whether a route names the host, although none takes the request.
function _M.target_beside(slot, host, uri, no_length)
  return entry.find(target_of, shapes_of[slot], own, slot, host, uri, no_length, true)
end

function _M.run(slot)
  return entry.run(_M, slot)
end

function _M.jump(slot)
  return entry.jump(_M, slot)
end

return _M

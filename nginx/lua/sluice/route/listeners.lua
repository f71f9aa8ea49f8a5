-- Finds the location of a request on a port with several listeners: the scope of the connection,
-- which is all listeners of one Gateway on one port, the listener by the host, then the most
-- specific of its hosts that takes the request. Requests of one scope never reach the hosts of
-- another. On a shared port the hosts of the port itself stand behind each listener: at each level
-- of the name, a host that both have is one record, and a host that only the port has ends the
-- search.
local conditions = require("sluice.gateway.conditions")
local cors = require("sluice.policies.cors")
local match = require("sluice.route.match")
local paths = require("sluice.route.paths")
local patterns = require("sluice.patterns")
local regex = require("sluice.regex")
local shadow = require("sluice.gateway.shadow")
local store = require("sluice.store")

local ngx = ngx
local find = string.find
local get = match.get
local gsub = string.gsub
local lower = string.lower
local own = match.names
local random = math.random
local sub = string.sub

local _M = {}

-- The name of a scope's record, by port.
local names = setmetatable({}, {
  __index = function(all, port)
    local name = ":" .. port
    all[port] = name
    return name
  end,
})

-- Returns the record of the port that nginx accepted the connection on. Most ports have one scope
-- for all addresses; `address` is called only if a port has more.
function _M.scope(port, address, generation)
  local scope = store.get("scope", names[port], generation)
  if scope and scope.addresses then
    local own = store.get("scope", address() .. ":" .. port, generation)
    return own or (scope.port and scope)
  end
  return scope
end

-- Returns the listener with the most specific hostname that takes the host: the hostname itself,
-- then the longest wildcard, which stands for one or more labels, then the listener for all hosts.
-- The second result is the part of the host that the hostname names: the whole host, or
-- `.example.com` for a wildcard. It is nil for the listener for all hosts.
function _M.listener(scope, host)
  local exact = scope.exact
  local listener = exact and exact[host]
  if listener then
    return listener, host
  end
  local wildcard = scope.wildcard
  if wildcard then
    local dot = find(host, ".", 2, true)
    while dot do
      local above = sub(host, dot)
      listener = wildcard[above]
      if listener then
        return listener, above
      end
      dot = find(host, ".", dot + 1, true)
    end
  end
  return scope.any
end

local function server_address()
  return ngx.var.server_addr
end

-- Returns whether an alias that is a pattern matches the host.
local function has_pattern(host, generation)
  local list = store.get("patterns", "", generation)
  return list ~= nil and patterns.match(list, host) ~= nil
end

-- Returned in place of a location: the host of the port itself takes the request.
local over = {}

-- Returns the location that takes the request, its host's record, and the item, groups and added
-- slash of its path. The sixth result is the name by which the host was found: the host itself, the
-- longest wildcard above it that has a location for the request, the name for all hosts, or false
-- for an alias that is a pattern. The last one says that the listener names the host. The location
-- is nil if none takes the request, and `over` if the host belongs to the port itself; that is so
-- for paths that Sluice answers itself, too, such as the health path, where only the listener for
-- `all` hosts and its host for all names take the request.
local function at_listener(listener, host, uri, generation, shapes, shared, all)
  local scope = listener.before_host
  if not scope then
    scope = listener.id .. " "
    listener.before_host = scope
  end
  local record = get(scope .. host, generation, shapes)
  local is_named = record ~= nil
  if record then
    local location, item, groups, slash = paths.find(record, uri)
    if location ~= nil then
      return location, record, item, groups, slash, host
    end
  elseif shared and store.get("host", host, generation) then
    return over, nil, nil, nil, nil, host
  end
  local dot = find(host, ".", 2, true)
  local first = dot
  while dot do
    local name = "*" .. sub(host, dot)
    record = get(scope .. name, generation, shapes)
    if record then
      is_named = true
      local location, item, groups, slash = paths.find(record, uri, dot ~= first)
      if location ~= nil then
        return location, record, item, groups, slash, name
      end
    elseif shared and dot == first and store.get("host", name, generation) then
      return over, nil, nil, nil, nil, name
    end
    dot = find(host, ".", dot + 1, true)
  end
  if shared and has_pattern(host, generation) then
    return over, nil, nil, nil, nil, false
  end
  record = get(scope .. "_", generation, shapes)
  if not record then
    return nil, nil, nil, nil, nil, "_", is_named
  elseif shared and listener == all and not is_named and match.own_location(record, uri) then
    return over, nil, nil, nil, nil, "_"
  end
  local location, item, groups, slash = paths.find(record, uri)
  return location, record, item, groups, slash, "_", is_named
end

-- Returns what at_listener returns for the request that a preflight announces, if its location
-- answers preflights. Headers that the preflight does not announce count as met only if no rule
-- takes the request without them.
local function announced_at(var, ...)
  for _, any in ipairs({ false, true }) do
    conditions.announce(var.http_access_control_request_method, var.http_access_control_request_headers, any)
    local location, record, item, groups, slash, level = at_listener(...)
    conditions.announce()
    if location and location.preflights then
      return location, record, item, groups, slash, level
    elseif location ~= nil then
      return nil
    end
  end
end

-- Returns whether the hosts of the port itself would send the request to a Service, or redirect it,
-- if no listener took it.
local function is_wanted(host, uri, generation, shapes)
  local record = match.host(host, generation, shapes)
  if not record then
    return false
  elseif record.to or record.root and uri == "/" then
    return true
  end
  local location = paths.find(record, uri)
  return location ~= nil and location ~= false and location.service ~= nil
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
  return _M.listener(scope, (gsub(lower(name), "%.$", ""))) ~= listener
end

-- Patterns of routes in shadow must not use up the steps of the routes that serve.
local function observe(...)
  local rest, number = regex.rest()
  regex.begin(regex.most / 4)
  paths.aside(shadow.observe, ...)
  regex.go_on_with(rest, number)
end

-- On a port that is `shared`, nil leaves the request to the hosts of
-- the port itself.
local function locate(slot, host, uri, generation, shapes, shared)
  local scope = _M.scope(ngx.var.server_port, server_address, generation)
  if not scope then
    return not shared and match.nothing() or nil
  end
  local listener = _M.listener(scope, host)
  if not listener then
    return not shared and own.unrouted or nil
  elseif homes[listener.id] ~= apart[slot] then
    -- This worker's text is older than the listeners, and their guards are text.
    return own.misdirected
  end
  local location, record, item, groups, slash, level, is_named =
    at_listener(listener, host, uri, generation, shapes, shared, scope.any)
  if conditions.compared == regex.number and cors.is_preflight(ngx.var) then
    local one, its, its_item, its_groups, its_slash, its_level =
      announced_at(ngx.var, listener, host, uri, generation, shapes, shared, scope.any)
    if one then
      location, record, item, groups, slash, level = one, its, its_item, its_groups, its_slash, its_level
    end
  end
  if listener.shadow and not shapes then
    observe(listener, host, uri, location ~= over and location, record, level, shared, generation)
  end
  if location == over then
    return nil
  elseif location and not location.route then
    return location, record, item, groups, slash
  elseif location and shared and location.share then
    if random() >= location.share and is_wanted(host, uri, generation, shapes) then
      return nil
    end
  end
  if scope.tls and is_misdirected(scope, listener) then
    return own.misdirected
  elseif location then
    return location, record, item, groups, slash, listener, scope, shared
  elseif location == false or not shared and paths.is_doubtful() then
    return own.undecided
  elseif not shared then
    return own.unrouted
  end
  return nil, is_named
end

local function locate_beside(slot, host, uri, generation, shapes)
  return locate(slot, host, uri, generation, shapes, true)
end

-- The functions that find a location among those of several listeners, by server. They take the
-- server, the host, the path, the generation and the shapes, and return the location, the host's
-- record, the item, groups and added slash of its path (paths.lua), the listener, its scope, and
-- whether the port has hosts of its own. A text is the name of a location that answers. Nil leaves
-- the request to these hosts; the second result then says whether the listener names the host.
_M.locate = {}

-- Makes a server find the locations of listeners. Its port is `shared` if it has hosts of its own.
function _M.listen(slot, shared)
  _M.locate[slot] = shared and locate_beside or locate
end

return _M

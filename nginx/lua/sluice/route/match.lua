-- Finds the hosts of a port with one listener for all hostnames (RS-4), and the locations that
-- Sluice itself has. A host has the form of its record that this worker can serve. Shared memory
-- has the newest form, and under `before` the forms that it replaced, youngest first, with `false`
-- if there was none (src/core/sync/route-handover.ts). Each record is chosen by itself: one may
-- need a text that is still being loaded, while another needs only the running one.
local paths = require("sluice.route.paths")
local patterns = require("sluice.patterns")
local store = require("sluice.store")

local find = string.find
local sub = string.sub

local _M = {}

-- Names of the locations that each server has. They end with a secret of this nginx, because a
-- backend's answer may name a location, too.
local own = {}
_M.names = own

function _M.end_names(ending)
  for _, name in ipairs({
    "unrouted", "www", "app_root", "undecided", "unknown_shape", "contrary_host", "circle", "misdirected", "closing",
  }) do
    own[name] = "@sluice_" .. name .. ending
  end
end

_M.end_names("")

-- Paths that Sluice answers itself on the catch-all host: { prefix, location }. An Ingress with
-- exactly that path comes first (RS-4.8).
local own_paths = {}

function _M.own(paths_of_sluice)
  own_paths = paths_of_sluice
end

-- The location of such a path; nil if the host has exactly that path.
function _M.own_location(record, uri)
  local place = record.exact and record.exact[uri]
  local first = type(place) == "table" and place[1]
  if place and not (type(first) == "table" and first.slash) then
    return nil
  end
  for _, one in ipairs(own_paths) do
    if sub(uri, 1, #one[1]) == one[1] then
      return one[2]
    end
  end
end

-- Returns the location for requests that nothing takes: 404, or 503 while the routes are not known.
function _M.nothing()
  return store.is_filled() and own.unrouted or own.unknown_shape
end

-- Returns whether the server has the shapes of all backends.
local function has_all(backends, shapes)
  for _, backend in ipairs(backends or {}) do
    if backend.shape and not shapes[backend.shape] then
      return false
    end
  end
  return true
end

-- Returns whether the server has all shapes that the record names. A host with a server block of
-- its own may be served only there.
local function serves(record, shapes)
  if record.text and shapes.is_shared then
    return false
  end
  for _, location in ipairs(record.locations or {}) do
    if location.shape and not shapes[location.shape] or (location.standIn and not shapes[location.standIn.shape]) then
      return false
    elseif not has_all(location.backends, shapes) then
      return false
    end
  end
  return true
end

-- Returns the youngest form that a server with these shapes can serve, or nil if the host did not
-- exist then. An alias names no shapes itself: its newest form goes with its target's newest form.
local function served(name, generation, shapes)
  local newest = store.get("host", name, generation)
  local target = newest and newest.as and store.get("host", newest.as, generation) or newest
  local replaced = target and not serves(target, shapes) and store.get("before host", name, generation)
  if not replaced then
    return newest
  end
  for _, form in ipairs(replaced) do
    if form == false or serves(form, shapes) then
      return form or nil
    end
  end
  return replaced[#replaced]
end

-- Returns the newest record of a host. With `shapes`, it returns the youngest form that a server
-- with only these can serve.
local function get(name, generation, shapes)
  if shapes then
    return served(name, generation, shapes)
  end
  return store.get("host", name, generation)
end

_M.get = get

-- Returns the record of the host, and whether TLS is configured for it. The record is the host's
-- own, its alias's, that of a pattern or of the wildcard one label above, or the catch-all's; the
-- third result says that it is the catch-all's. The first result is false if a pattern ran out
-- of steps.
function _M.host(host, generation, shapes)
  local record = get(host, generation, shapes)
  -- A wildcard's record has a parent. Its own name, with the star in it, is no host below it.
  if record and not record.parent then
    return record.as and get(record.as, generation, shapes) or record, record.tls
  end
  local dot = find(host, ".", 1, true)
  local parent = dot and dot > 1 and not find(sub(host, 1, dot - 1), "[^%w_-]") and "*" .. sub(host, dot)
  local wildcard = parent and get(parent, generation, shapes)
  local list = store.get("patterns", "", generation)
  local name, tls
  if list then
    name, tls = patterns.match(list, host, wildcard and parent)
    if name == false then
      return false
    end
  end
  local named = name and get(name, generation, shapes)
  if named then
    return named, tls or (wildcard and wildcard.tls)
  end
  if wildcard then
    return wildcard, wildcard.tls
  end
  return get("_", generation, shapes), nil, true
end

-- Finds the location of a request. Returns the location, its host's record, whether TLS is
-- configured for the host, and the item, groups and added slash of the path (paths.lua). A text is
-- the name of a location that answers. `is_named` says that a listener has a host of that name.
function _M.locate(host, uri, generation, shapes, is_named)
  local record, tls, is_catch_all = _M.host(host, generation, shapes)
  if not record then
    return record == false and own.undecided or _M.nothing()
  end
  local ours = is_catch_all and not is_named and _M.own_location(record, uri)
  if ours then
    return ours
  elseif record.to then
    ngx.var.route_www = record.to
    return own.www
  end
  local location, item, groups, slash = paths.find(record, uri)
  if not location then
    return (location == false or paths.is_doubtful()) and own.undecided or own.unrouted
  end
  return location, record, tls, item, groups, slash
end

local no_groups = {}

-- Returns the label that the wildcard of a host stands for, as group 1. nginx sets that group where
-- no path is a pattern.
function _M.label(record, host)
  local parent = record.parent
  if not parent or sub(host, -#parent) ~= parent then
    return no_groups
  end
  local label = sub(host, 1, -#parent - 1)
  return find(label, "[^%w_-]") and no_groups or { label }
end

return _M

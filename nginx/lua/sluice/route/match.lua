-- Finds the record of a host, and the location of a path in it (RS-4 to RS-6).
local forms = require("sluice.route.forms")
local patterns = require("sluice.patterns")
local regex = require("sluice.regex")
local store = require("sluice.store")

local ngx = ngx
local find = string.find
local sub = string.sub

local _M = {}

-- Returns the newest record of a host. With `shapes`, it returns the youngest form that a server
-- with only these shapes can serve.
local function get(name, generation, shapes)
  if shapes then
    return forms.served(name, generation, shapes)
  end
  return store.get("host", name, generation)
end

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

local function longest_of_many(record, uri)
  local by_path = record.by_path
  if not by_path then
    by_path = {}
    for at = 1, #record.prefix, 2 do
      by_path[record.prefix[at]] = record.prefix[at + 1]
    end
    record.by_path = by_path
  end
  local at = #uri
  while at > 0 do
    if sub(uri, at, at) == "/" then
      local index = by_path[sub(uri, 1, at)]
      if index then
        return index
      end
    end
    at = at - 1
  end
end

-- Finds the longest prefix of the path. A record lists prefixes and their locations, longest first.
-- Most hosts have few, and those are tried without a loop, because LuaJIT compiles a request as one
-- piece only if it meets no loop.
local function longest_prefix(record, uri)
  local list = record.prefix
  local one, two, three = list[1], list[3], list[5]
  if sub(uri, 1, #one) == one then
    return list[2]
  elseif not two then
    return nil
  elseif sub(uri, 1, #two) == two then
    return list[4]
  elseif not three then
    return nil
  elseif sub(uri, 1, #three) == three then
    return list[6]
  end
  return list[7] and longest_of_many(record, uri)
end

-- Returns the location of the path, then the route and groups of a pattern that took it, or the
-- path with the slash that has to be added. Returns false if a pattern ran out of steps: the
-- owner of the path is unknown then, and the next pattern may have fewer guards. A pattern that
-- does not compile takes no path; the sync leaves out those that it finds.
function _M.path(record, uri)
  if record.regex then
    -- Added slashes come from paths of another namespace, which has no patterns.
    local added = record.slash and record.slash[uri]
    if added then
      return record.locations[added[2]], nil, nil, added[1]
    end
    for _, route in ipairs(record.regex) do
      local groups = regex.groups(regex.beginning, uri, route[1])
      if groups then
        return record.locations[route[2]], route, groups
      elseif groups == nil then
        return false
      end
    end
    return nil
  end
  local index = record.exact and record.exact[uri]
  local slash = not index and record.slash and record.slash[uri]
  if slash then
    return record.locations[slash[2]], nil, nil, slash[1]
  end
  index = index or (record.prefix and longest_prefix(record, uri))
  return index and record.locations[index]
end

return _M

-- Finds the record of a host among those of a port with one listener for all hosts (RS-4).
local forms = require("sluice.route.forms")
local patterns = require("sluice.patterns")
local store = require("sluice.store")

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

return _M

-- Implements upstream-hash-by: a text with variables is hashed, and the hash picks an endpoint, or
-- a group of endpoints from which one is drawn.
local ring = require("sluice.balance.ring")
local tries = require("sluice.balance.tries")

local _M = {}

-- A part is a string, or a list that holds the name of a variable.
local function part_value(part)
  if type(part) == "string" then
    return part
  end
  return ngx.var[part[1]] or ""
end

local function value_of(parts)
  if #parts == 1 then
    return part_value(parts[1])
  end
  local values = {}
  for i, part in ipairs(parts) do
    values[i] = part_value(part)
  end
  return table.concat(values)
end

-- Groups of `size` endpoints in the order of the list; the last group is completed from the start
-- (RS-9.10). A group is never larger than the list, even if the annotation has a larger size.
local function groups_of(endpoints, wanted)
  local size = math.min(wanted, #endpoints)
  local groups, names = {}, {}
  for first = 1, #endpoints, size do
    local group = {}
    for i = 1, size do
      group[i] = endpoints[(first + i - 2) % #endpoints + 1]
    end
    groups[#groups + 1] = group
    names[#names + 1] = "set" .. #groups
  end
  return groups, names
end

local function pick_of_group(upstream, tried)
  local endpoints = upstream.endpoints
  if not upstream.ring then
    local names
    upstream.groups, names = groups_of(endpoints, upstream.balance.subset)
    upstream.ring = ring.new(names)
  end
  local group = upstream.groups[ring.find(upstream.ring, value_of(upstream.balance.parts))]
  local left = tries.left(group, tried)
  if left == group and tried then
    left = tries.left(endpoints, tried)
  end
  return left[math.random(#left)]
end

function _M.pick(upstream, tried)
  if upstream.balance.subset then
    return pick_of_group(upstream, tried)
  end
  local endpoints = upstream.endpoints
  upstream.ring = upstream.ring or ring.new(endpoints)
  local value = value_of(upstream.balance.parts)
  local refused = tried and tries.indices(endpoints, tried)
  return endpoints[ring.find(upstream.ring, value, refused) or ring.find(upstream.ring, value)]
end

return _M

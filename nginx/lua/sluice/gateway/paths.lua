-- Finds the location of a request among those of a listener's host. If the path alone decides, the
-- record has the number of a location; otherwise it has a list of routes, and the first one whose
-- conditions hold takes the request. If none holds, the next shorter path is tried.
local conditions = require("sluice.gateway.conditions")
local regex = require("sluice.regex")

local sub = string.sub
local type = type

local _M = {}

-- Stands for a location of the Ingress that has the same host on a shared port (the namesake).
_M.namesake = { namesake = true }

-- Returns the location of this number.
local function at(record, index)
  return index == 0 and _M.namesake or record.locations[index]
end

-- Does the work of `chosen` from route `i` on. It recurses instead of looping, for the reason
-- below.
local function from(place, i, alone)
  local choice = place[i]
  if not choice then
    return nil
  elseif choice == 0 and alone then
    return from(place, i + 1, alone)
  elseif type(choice) == "number" then
    return choice
  end
  local held = conditions.hold(choice)
  if held then
    return choice.location
  elseif held == nil then
    return false
  end
  return from(place, i + 1, alone)
end

-- Returns the location of the first route whose conditions hold; nil if none holds, false if
-- that could not be found out.
local function chosen(place, alone)
  if type(place) == "number" then
    return (place ~= 0 or not alone) and place or nil
  end
  return from(place, 1, alone)
end

-- Up to this many prefixes are tried one by one; more are looked up in a table.
local few = 8

local function by_path(record)
  local all = record.by_path
  if not all then
    all = {}
    for at = 1, #record.prefix, 2 do
      all[record.prefix[at]] = record.prefix[at + 1]
    end
    record.by_path = all
  end
  return all
end

-- Does the work of `chosen` for the longest prefix of the path that has a route for the request.
local function longest_prefix(record, uri, alone)
  local list = record.prefix
  if #list > 2 * few then
    local all = by_path(record)
    local at = #uri
    while at > 0 do
      if sub(uri, at, at) == "/" then
        local place = all[sub(uri, 1, at)]
        local location = place and chosen(place, alone)
        if location ~= nil then
          return location
        end
      end
      at = at - 1
    end
    return nil
  end
  for at = 1, #list, 2 do
    local prefix = list[at]
    if sub(uri, 1, #prefix) == prefix then
      local location = chosen(list[at + 1], alone)
      if location ~= nil then
        return location
      end
    end
  end
end

-- Tries the patterns in the record's order; each must take the whole path. Returns false if one
-- ran out of steps.
local function by_pattern(record, uri, alone)
  for _, one in ipairs(record.pattern) do
    local takes = regex.takes(regex.whole, uri, one[1])
    if takes == nil then
      return false
    elseif takes then
      local location = chosen(one[2], alone)
      if location ~= nil then
        return location
      end
    end
  end
end

-- Returns the location that takes the path, or `namesake`; nil if none does, false if that
-- could not be found out. With `alone` the namesake is left out, because its wildcard takes one
-- label and that of a listener takes several.
function _M.find(record, uri, alone)
  local place = record.exact and record.exact[uri]
  if not place and record.prefix then
    -- Most hosts have few prefixes and no conditions. Without a loop, LuaJIT compiles such a
    -- request as one piece.
    local list = record.prefix
    local one, two = list[1], list[3]
    if sub(uri, 1, #one) == one then
      place = list[2]
    elseif two and sub(uri, 1, #two) == two then
      place = list[4]
    end
  end
  if type(place) == "number" and (place ~= 0 or not alone) then
    return at(record, place)
  end
  local index
  if place then
    index = chosen(place, alone)
    if index then
      return at(record, index)
    end
  end
  if index == nil and record.prefix then
    index = longest_prefix(record, uri, alone)
  end
  if index == nil and record.pattern then
    index = by_pattern(record, uri, alone)
  end
  return index and at(record, index) or index
end

return _M

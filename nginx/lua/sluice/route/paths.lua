-- Finds the location of a path in the record of a host (RS-5, RS-6). If the path alone decides, the
-- record has the number of a location; otherwise it has a list of choices, and the first one whose
-- conditions hold takes the request. If none holds, the next path that fits is tried. A host with
-- patterns has one ordered list of all paths but the exact ones.
local conditions = require("sluice.gateway.conditions")
local regex = require("sluice.regex")

local byte = string.byte
local sub = string.sub
local type = type

local _M = {}

-- The namespace of a pattern that ran out of steps in this request, or true if there are more of
-- them. Such a pattern neither takes a request nor keeps it from other namespaces. But it might
-- have guarded a request that another path of its own namespace takes, so that is refused.
local doubt, doubted

local function note(location)
  local namespace = location.namespace or true
  if doubt and doubted == regex.number and doubt ~= namespace then
    namespace = true
  end
  doubt, doubted = namespace, regex.number
end

-- Returns the location, or false if a pattern of its namespace ran out of steps before.
local function settled(location, ...)
  if doubted ~= regex.number then
    doubt = nil
  elseif doubt == true or doubt == location.namespace then
    return false
  end
  return location, ...
end

-- Returns whether a pattern ran out of steps, for a request that nothing takes.
function _M.is_doubtful()
  return doubt ~= nil and doubted == regex.number
end

-- Looks for paths without an effect on the request. Returns what `look` returns.
function _M.aside(look, ...)
  local before, number = doubt, doubted
  local location, level = look(...)
  doubt, doubted = before, number
  return location, level
end

-- On a host of several namespaces each has a budget of its own.
local function begin(record, location)
  if record.several then
    regex.share(location.namespace)
  end
end

-- Returns the location of the first choice from `i` on that takes the request, and the path with
-- the slash that has to be added. With `deep`, the host has several labels where the record has a
-- wildcard; locations with a depth are for one. It recurses instead of looping, because LuaJIT
-- compiles a request as one piece only if it meets no loop.
local function from(record, place, i, deep)
  local choice = place[i]
  if not choice then
    return nil
  elseif type(choice) == "number" then
    local location = record.locations[choice]
    if not (deep and location.depth) then
      return location
    end
    return from(record, place, i + 1, deep)
  end
  local location = record.locations[choice.location]
  if deep and location.depth then
    return from(record, place, i + 1, deep)
  end
  begin(record, location)
  local held = conditions.hold(choice)
  if held then
    return location, choice.slash
  elseif held == nil then
    note(location)
  end
  return from(record, place, i + 1, deep)
end

local function chosen(record, place, deep)
  if type(place) == "number" then
    local location = record.locations[place]
    return not (deep and location.depth) and location or nil
  end
  return from(record, place, 1, deep)
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

-- Returns the location of the longest prefix that takes the request.
local function longest_prefix(record, uri, deep)
  local list = record.prefix
  if #list > 2 * few then
    local all = by_path(record)
    local at = #uri
    while at > 0 do
      if byte(uri, at) == 47 then
        local place = all[sub(uri, 1, at)]
        local location = place and chosen(record, place, deep)
        if location then
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
      local location = chosen(record, list[at + 1], deep)
      if location then
        return location
      end
    end
  end
end

local slash, equals, caret = byte("/"), byte("="), byte("^")

-- Returns the first location of any choice of a place.
local function owner_of(record, place)
  local first = type(place) == "number" and place or place[1]
  return record.locations[type(first) == "number" and first or first.location]
end

-- Returns whether the item takes the path, and its groups. The first character of its text says
-- how: a prefix begins with `/`, an exact path with `=`, a pattern for the beginning of a path, in
-- any case, with `^`. All others are patterns for the whole path.
local function takes(record, one, uri)
  local text = one[1]
  local first = byte(text)
  if first == slash then
    return sub(uri, 1, #text) == text
  elseif first == equals then
    return sub(text, 2) == uri
  end
  local location = owner_of(record, one[2])
  begin(record, location)
  local found, groups
  if first == caret then
    groups = regex.groups(regex.beginning, uri, text)
    found = groups
  else
    found = regex.takes(regex.whole, uri, text)
  end
  if found == nil then
    note(location)
  end
  return found, groups
end

-- Returns the location of the first item that takes the request, then the item, its groups, and the
-- path with an added slash.
local function in_order(record, uri, deep)
  local list = record.list
  for at = 1, #list do
    local one = list[at]
    local found, groups = takes(record, one, uri)
    if found then
      local location, added = chosen(record, one[2], deep)
      if location then
        return settled(location, one, groups, added)
      end
    end
  end
end

local function slowly(record, uri, place, deep)
  if place then
    local location, added = chosen(record, place, deep)
    if location then
      return settled(location, nil, nil, added)
    end
  end
  if record.list then
    return in_order(record, uri, deep)
  end
  local location = record.prefix and longest_prefix(record, uri, deep)
  if location then
    return settled(location)
  end
end

-- Returns the location that takes the request, then the item and groups of a pattern that took it,
-- and the path with the slash that has to be added. Returns nil if none does, and false if a
-- pattern of the same namespace ran out of steps before.
function _M.find(record, uri, deep)
  local exact = record.exact
  local place = exact and exact[uri]
  if not place then
    -- Most hosts have few prefixes, and those are tried without a loop.
    local list = record.prefix
    if list then
      local one, two, three = list[1], list[3], list[5]
      if sub(uri, 1, #one) == one then
        place = list[2]
      elseif two and sub(uri, 1, #two) == two then
        place = list[4]
      elseif three and sub(uri, 1, #three) == three then
        place = list[6]
      end
    end
  end
  if type(place) == "number" and not deep and not doubt then
    return record.locations[place]
  end
  return slowly(record, uri, place, deep)
end

return _M

-- Turns the values of a request into additions to the sums of its labels: pairs of an index and a
-- value. src/edges/metrics/request-metrics.ts has the same order of sums, counts and histogram
-- buckets.
local concat = table.concat
local match = string.match

local _M = {}

-- Each histogram has its first index here, and the upper bounds of its buckets in rising order.
local places, last_place

function _M.use(given)
  places = {}
  local at = 1
  for i, bounds in ipairs({ given.time, given.time, given.part, given.part, given.length, given.length, given.size }) do
    places[i] = { at = at, bounds = bounds }
    at = at + 2 + #bounds
  end
  last_place = at - 1
end

-- The number of indices.
function _M.count()
  return last_place
end

-- A cache: additions by the text of the values as nginx writes it. Many requests have the same
-- text.
local known = {}

-- A list with the times of several tries is not a number, so it is left out.
local function observe(added, i, text)
  local value = tonumber(text)
  if not value then
    return
  end
  local place = places[i]
  local at, bounds, count = place.at, place.bounds, #added
  added[count + 1], added[count + 2] = at, value
  added[count + 3], added[count + 4] = at + 1, 1
  for n = 1, #bounds do
    if value <= bounds[n] then
      added[count + 5], added[count + 6] = at + 1 + n, 1
      return
    end
  end
end

local function new_additions(values)
  local time, response, header, connect, length, sent =
    match(values, "^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
  local added = {}
  observe(added, 1, time)
  observe(added, 2, response)
  observe(added, 3, header)
  observe(added, 4, connect)
  observe(added, 5, length)
  observe(added, 6, sent)
  observe(added, 7, sent)
  return added
end

-- Returns pairs of an index and the value that one request with these values adds there.
local function of(values)
  local added = known[values]
  if not added then
    added = new_additions(values)
    known[values] = added
  end
  return added
end

function _M.add(sums, values, times)
  local added = of(values)
  for i = 1, #added, 2 do
    local place = added[i]
    sums[place] = (sums[place] or 0) + added[i + 1] * times
  end
end

-- Returns the same pairs as text.
function _M.text(values)
  local added = of(values)
  if not added.text then
    added.text = concat(added, " ")
  end
  return added.text
end

function _M.forget()
  known = {}
end

return _M

-- Consistent hashing as nginx and ingress-nginx do it (ketama): each name has 160 points on a ring,
-- each the checksum of the name and of the point before; a key belongs to the first point at or
-- after its own checksum. So an upstream that grows or shrinks by one of n names moves one of n
-- keys, and clients keep their endpoints when Sluice takes the place of ingress-nginx.
local crc32 = ngx.crc32_long
local char = string.char
local floor = math.floor
local max = math.max
local min = math.min
local sort = table.sort

local points_per_name = 160
-- A ring is sorted while its worker does nothing else, so beyond a thousand names each has fewer
-- points.
local most_points = 160000
-- A point is one number, its place on the ring and after it the index of its name: 32 + 20 bits fit
-- into a double.
local index_range = 1048576

local _M = {}

function _M.new(names)
  local points, count = {}, 0
  -- a name that is alone owns the ring with a single point
  local points_each = #names == 1 and 1 or max(1, min(points_per_name, floor(most_points / #names)))
  for index, name in ipairs(names) do
    local place = 0
    for _ = 1, points_each do
      local bytes = char(place % 256, floor(place / 256) % 256, floor(place / 65536) % 256, floor(place / 16777216))
      place = crc32(name .. bytes)
      count = count + 1
      points[count] = place * index_range + index
    end
  end
  sort(points)
  return points
end

-- The index of the name that `key` belongs to. With `refused`, a set of indices, the next name on
-- the ring that is not in it; nil when all are.
function _M.find(points, key, refused)
  local wanted = crc32(key) * index_range
  local low, high = 1, #points
  while low <= high do
    local middle = floor((low + high) / 2)
    if points[middle] < wanted then
      low = middle + 1
    else
      high = middle - 1
    end
  end
  for step = 0, #points - 1 do
    local index = points[(low - 1 + step) % #points + 1] % index_range
    if not refused or not refused[index] then
      return index
    end
  end
end

return _M

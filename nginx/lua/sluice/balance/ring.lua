-- Consistent hashing as nginx and ingress-nginx do it (ketama). Each name has 160 points on a ring;
-- each point is the checksum of the name and of the point before. A key belongs to the first point
-- at or after its own checksum. When one of n names is added or removed, about one key in n moves.
-- Clients keep their endpoints when Sluice replaces ingress-nginx.
local crc32 = ngx.crc32_long
local floor = math.floor

local points_per_name = 160
-- Sorting a ring blocks its worker, so with more than a thousand names each has fewer points.
local most_points = 160000
-- A point is one number: its place on the ring, then the index of its name. Both take 32 + 20 bits,
-- which fit into a double.
local index_range = 1048576

local _M = {}

function _M.new(names)
  local points, count = {}, 0
  -- A single name owns the whole ring with one point.
  local points_each = #names == 1 and 1 or math.max(1, math.min(points_per_name, floor(most_points / #names)))
  for index, name in ipairs(names) do
    local place = 0
    for _ = 1, points_each do
      local bytes = string.char(place % 256, floor(place / 256) % 256, floor(place / 65536) % 256, floor(place / 16777216))
      place = crc32(name .. bytes)
      count = count + 1
      points[count] = place * index_range + index
    end
  end
  table.sort(points)
  return points
end

-- Returns the index of the name that `key` belongs to. With `refused`, a set of indices, it returns
-- the next name on the ring that is not in the set, or nil when all are.
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

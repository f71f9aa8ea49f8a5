-- Divides a shared dictionary among namespaces, so that a flood of one evicts only its own entries.
-- Left alone, nginx evicts the entry that was used longest ago, of whatever tenant.
--
-- The dictionary itself has a queue of each namespace's entries. A namespace may take more memory
-- only while it has no more than is left; otherwise its own oldest entries make room. So one
-- namespace gets half of the memory, a second one half of the rest. The flags of an entry are its
-- place in the queue: an entry that has expired, and was made again, has a later place.
local _M = {}

-- Names of the bookkeeping begin with this byte, which no entry's name has.
local mark = "\0"
local total_name = mark .. "total"

-- The bytes that nginx adds to a name and a value.
local overhead = 72

-- The most old places that one new entry clears away.
local most_cleared = 16

local places = 2147483648

-- Returns the bytes that nginx takes for an entry: a power of two, or whole pages.
local function bytes_of(length)
  local bytes = length + overhead
  if bytes > 2048 then
    return math.ceil(bytes / 4096) * 4096
  end
  local size = 64
  while size < bytes do
    size = size * 2
  end
  return size
end

-- Whether the name belongs to the bookkeeping.
function _M.is_own(name)
  return string.sub(name, 1, 1) == mark
end

-- Drops the oldest place of the queue, with its entry if that is still the same. Returns the bytes
-- that are free then.
local function drop(dict, queue, first, also)
  local name, bytes = dict:get(queue .. first)
  if not name then
    return 0
  end
  dict:delete(queue .. first)
  local _, place = dict:get(name)
  if place == first % places then
    dict:delete(name)
    dict:delete(also .. name)
  end
  return bytes
end

local function is_stale(dict, queue, first)
  local name = dict:get(queue .. first)
  local value, place = dict:get(name or "")
  return value == nil or place ~= first % places
end

-- Makes room for an entry that the dictionary does not have yet, and returns the flags with which
-- it has to be set. `length` is that of its value, and of a second entry named `also` and its
-- name, if there is one.
function _M.place(dict, namespace, name, length, also)
  local queue = mark .. namespace .. mark
  local bytes = bytes_of(#name + length) + bytes_of(#queue + 12 + #name) + (also and bytes_of(#also + #name + length) or 0)
  local room = dict:capacity() * 3 / 4
  local total = dict:incr(total_name, bytes, 0) or 0
  local own = dict:incr(queue .. "bytes", bytes, 0) or 0
  local last = dict:incr(queue .. "last", 1, 0) or 0
  dict:set(queue .. last, name, 0, bytes)
  for _ = 1, most_cleared do
    local first = (dict:get(queue .. "first") or 0) + 1
    if first >= last or own <= room - total and not is_stale(dict, queue, first) then
      break
    end
    first = dict:incr(queue .. "first", 1, 0) or first
    local freed = drop(dict, queue, first, also or mark)
    if freed > 0 then
      total = dict:incr(total_name, -freed, 0) or 0
      own = dict:incr(queue .. "bytes", -freed, 0) or 0
    end
  end
  return last % places
end

return _M

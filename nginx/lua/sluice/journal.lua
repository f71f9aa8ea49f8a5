-- Reads records from the socket and from the journal on disk. On the socket they are lines of JSON,
-- [key, value] to set a record and [key] to remove it. In the journal each line has a checksum.
local cjson = require("cjson.safe")

local crc32 = ngx.crc32_long
local tohex = require("bit").tohex

-- The version of the records (src/core/model/records.ts). This release uses no journal and no
-- memory of another version.
local version = "3"

local records = ngx.shared["sluice_records_" .. version]

-- Names the values that stand beside the records in the same memory. Everything that writes, reads
-- or skips them takes the names from here.
local _M = {
  records = records,
  -- Rises with each set of changes. Its name is one letter, because each request hashes it.
  generation = "g",
  -- Rises with each write of the controller.
  writing = "writing",
  -- Is true when nginx is about to end, so that each answer closes its connection.
  closing = "closing",
}

-- Applies lines from the socket, as this write. At the first line that fails it returns nil and the
-- reason. Beside each record it stores the number of the write, by which store.lua notices a
-- change.
local function apply_lines(lines, writing)
  for line in lines do
    local change, problem = cjson.decode(line)
    if not change then
      return nil, "a line is not JSON: " .. problem
    end
    if change[2] == nil then
      records:delete(change[1])
    else
      -- `set` would evict other records if memory is short; `safe_set` fails instead.
      local stored, why = records:safe_set(change[1], change[2], 0, writing)
      if not stored then
        return nil, why
      end
    end
  end
  records:incr(_M.generation, 1, 0)
  return true
end

-- Counts a write, and returns its number.
local function next_writing()
  return records:incr(_M.writing, 1, 0)
end

-- Applies the lines of `text`, and returns what apply_lines returns.
function _M.apply(text)
  return apply_lines(string.gmatch(text, "[^\n]+"), next_writing())
end

-- Reads the lines of a journal (journal-text.ts) up to the length `limit`, and applies them as this
-- write. Returns the length with all whole writes, the length that its first line names, and the
-- reason why it stopped before `limit`. Without a readable first line the length is nil.
local function read(file, limit, writing)
  local first = file:read("*l") or ""
  local text, number, start, on_disk, sum = first:match("^(sluice%-journal (%d+) (%x+) (%d+)) (%x+)$")
  if number and number ~= version then
    return nil, nil, "it has version " .. number .. ", and this release reads version " .. version
  elseif not text or tohex(crc32(text)) ~= sum then
    return nil, nil, "its first line fails its checksum"
  end
  on_disk = tonumber(on_disk)
  local last, at, number_of_line = tonumber(start, 16), #first + 1, 1
  local whole = at
  while at < limit do
    local line = file:read("*l")
    number_of_line = number_of_line + 1
    at = at + #(line or "") + 1
    local json = line and line:sub(10) or ""
    local checksum = crc32(json)
    local is_whole = line and at <= limit and line:sub(1, 9) == tohex(checksum) .. " "
    local change = is_whole and cjson.decode(json)
    if not change or change[1] ~= last then
      return whole, on_disk, "line " .. number_of_line .. " fails its checksum"
    end
    last = checksum
    if change[2] == nil then
      whole = at
    elseif change[3] == nil then
      records:delete(change[2])
    else
      local stored, why = records:safe_set(change[2], change[3], 0, writing)
      if not stored then
        return nil, nil, why
      end
    end
  end
  return whole, on_disk, "it is cut off"
end

-- Empties the memory, which has only what this load has set.
local function empty(writing)
  records:flush_all()
  records:flush_expired()
  records:safe_set(_M.writing, writing)
end

-- Fills the memory, and returns the reason if the journal cannot be used. A write that was broken
-- off is left out.
local function fill(file, writing)
  local size = file:seek("end")
  file:seek("set")
  local whole, on_disk, why = read(file, size, writing)
  if not whole or whole < on_disk then
    return why
  elseif whole < size then
    empty(writing)
    file:seek("set")
    read(file, whole, writing)
  end
end

-- Shared memory survives a reload. It is empty in a new master and in a dictionary whose size has
-- changed. Loading counts as one write, with or without a journal (writingOfLoad in channel.ts).
-- Nothing of a journal is used if a part of it is damaged, because a line that is left could be
-- outdated by one that is lost. The controller publishes everything when it has read the objects.
function _M.load(path)
  if records:get("instance") then
    return
  end
  local writing = next_writing()
  local file = io.open(path, "r")
  if not file then
    return
  end
  local why = fill(file, writing)
  file:close()
  records:incr(_M.generation, 1, 0)
  if why == "no memory" then
    -- The records then belong to no instance, so the controller publishes everything again and
    -- gets the reason.
    records:delete("instance")
  elseif why then
    empty(writing)
  end
  if why then
    ngx.log(ngx.ERR, "the journal could not be loaded: ", why)
  end
end

return _M

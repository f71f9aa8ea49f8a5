-- Reads the format of records, which is the same on the socket and on disk: lines of JSON, [key,
-- value] to set a record and [key] to remove it.
local cjson = require("cjson.safe")
local counters = require("sluice.counters")

local records = ngx.shared.sluice_records

local _M = {}

-- Applies lines of the journal, as this write. At the first line that fails it returns nil and the
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
  records:incr(counters.generation, 1, 0)
  return true
end

-- Counts a write, and returns its number.
local function next_writing()
  return records:incr(counters.writing, 1, 0)
end

-- Applies the lines of `text`, and returns what apply_lines returns.
function _M.apply(text)
  return apply_lines(string.gmatch(text, "[^\n]+"), next_writing())
end

-- Shared memory survives a reload. It is empty in a new master and in a dictionary whose size has
-- changed. Loading counts as one write, with or without a journal (writingOfLoad in channel.ts).
function _M.load(path)
  if records:get("instance") then
    return
  end
  local writing = next_writing()
  local file = io.open(path, "r")
  if not file then
    return
  end
  local applied, problem = apply_lines(file:lines(), writing)
  file:close()
  if not applied then
    ngx.log(ngx.ERR, "the journal could not be loaded: ", problem)
    -- The records then belong to no instance, so the controller publishes everything again and
    -- gets the reason.
    records:delete("instance")
  end
end

return _M

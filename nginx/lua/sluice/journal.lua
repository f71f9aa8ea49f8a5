-- Reads the format of records, which is the same on the socket and on disk: lines of JSON, [key,
-- value] to set a record and [key] to remove it.
local cjson = require("cjson.safe")
local counters = require("sluice.counters")

local records = ngx.shared.sluice_records

local _M = {}

-- Applies the lines of `text`. At the first line that fails it returns nil and the reason. Beside
-- each record it stores the number of the write, by which store.lua notices a change.
function _M.apply(text)
  local writing = records:incr(counters.writing, 1, 0)
  for line in string.gmatch(text, "[^\n]+") do
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

-- Shared memory survives a reload. It is empty in a new master and in a dictionary whose size has
-- changed.
function _M.load(path)
  if records:get("instance") then
    return
  end
  local file = io.open(path, "r")
  if not file then
    return
  end
  for line in file:lines() do
    local applied, problem = _M.apply(line)
    if not applied then
      ngx.log(ngx.ERR, "the journal could not be loaded: ", problem)
      -- The records then belong to no instance, so the controller publishes everything again and
      -- gets the reason.
      records:delete("instance")
      break
    end
  end
  file:close()
end

return _M

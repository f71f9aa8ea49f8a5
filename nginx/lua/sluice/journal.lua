-- The wire and the disk have one format: lines of JSON, [key, value] to set and [key] to remove.
local cjson = require("cjson.safe")

local records = ngx.shared.sluice_records

local _M = {}

-- Applies the lines of `text`; returns nil and why at the first that cannot be. A record has the
-- number of the writing beside it, by which store.lua tells whether it is another one.
function _M.apply(text)
  local writing = records:incr("writing", 1, 0)
  for line in string.gmatch(text, "[^\n]+") do
    local change, problem = cjson.decode(line)
    if not change then
      return nil, "a line is not JSON: " .. problem
    end
    if change[2] == nil then
      records:delete(change[1])
    else
      -- set would evict other records where memory is short; safe_set says so instead
      local stored, why = records:safe_set(change[1], change[2], 0, writing)
      if not stored then
        return nil, why
      end
    end
  end
  records:incr("generation", 1, 0)
  return true
end

-- Shared memory survives a reload, but is empty in a new master and in a dictionary whose size has
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
      -- no instance's, so that the controller publishes everything again and learns what is wrong
      records:delete("instance")
      break
    end
  end
  file:close()
end

return _M

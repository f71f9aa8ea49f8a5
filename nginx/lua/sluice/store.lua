-- The records the controller publishes: one shared dictionary, read through a cache in each worker.
-- A worker's copy is valid as long as the generation number in shared memory is the one it was checked at, so what the
-- controller has published is seen at the next lookup, with no timer.
local cjson = require("cjson.safe")
local lrucache = require("resty.lrucache")

local records = ngx.shared.sluice_records
local exiting = ngx.worker.exiting
local generation_key = "generation"

local _M = {}

-- Entries are { text, decoded, generation }; a record that is not there is remembered too.
local cache = lrucache.new(4000)

function _M.get(key)
  local generation = records:get(generation_key)
  local entry = cache:get(key)
  if entry and entry[3] == generation then
    return entry[2]
  end
  local text = records:get(key)
  if entry and entry[1] == text then
    entry[3] = generation
    return entry[2]
  end
  local decoded
  if text then
    local problem
    decoded, problem = cjson.decode(text)
    if not decoded then
      ngx.log(ngx.ERR, "record is not JSON: ", problem)
    end
  end
  cache:set(key, { text, decoded, generation })
  return decoded
end

-- The record as workers of an older text need it: under `before` are those that newer ones replaced, youngest first, `false` for
-- none (src/sync/passage.ts). The oldest there is answers for any greater age.
function _M.get_older(key, age)
  local replaced = _M.get("before " .. key)
  if not replaced then
    return _M.get(key)
  end
  return replaced[age < #replaced and age or #replaced] or nil
end

return _M

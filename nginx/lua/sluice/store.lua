-- The records the controller publishes: one shared dictionary, and what of it a worker has decoded.
-- A worker's copy is valid as long as the generation in shared memory is the one it was checked at,
-- so what the controller has published is seen at the next look, with no timer. Each record has the
-- number of its writing beside it, so an unchanged one is not decoded again, and its text is not
-- kept for that.
local cjson = require("cjson.safe")

local records = ngx.shared.sluice_records
local now = ngx.now
local generation_key = "generation"

local _M = {}

-- By sort and name.
local function new_cache()
  return setmetatable({}, {
    __index = function(cache, sort)
      local of_sort = {}
      cache[sort] = of_sort
      return of_sort
    end,
  })
end

-- Decoded records, as { record, number of its writing, generation it was checked at }. What is
-- asked for is among the recent ones; when they have grown to their limit they become the others,
-- whose place they take. That a record is not there is remembered too.
local recent, others = new_cache(), new_cache()
local recent_bytes = 0

-- Bytes of text, and those that a record costs whatever its text. 10,000 plain hosts have 8 MB, and
-- take twice that decoded.
local most_recent_bytes = 12000000
local bytes_each = 200

local function keep(sort, name, entry, bytes)
  if recent_bytes + bytes > most_recent_bytes then
    recent, others = new_cache(), recent
    recent_bytes = 0
  end
  recent[sort][name] = entry
  recent_bytes = recent_bytes + bytes
end

local function decode(key, text)
  local record, problem = cjson.decode(text)
  if record == nil then
    ngx.log(ngx.ERR, "record ", key, " is not JSON: ", problem)
  end
  return record
end

local last_generation, asked_at

-- The generation there is now. Code that looks several times at one moment asks for it once.
function _M.generation()
  last_generation, asked_at = records:get(generation_key), now()
  return last_generation
end

-- The generation of this millisecond, as nginx counts them: the one that a request was routed by,
-- where it is passed on at once.
function _M.recent_generation()
  if asked_at == now() then
    return last_generation
  end
  return _M.generation()
end

-- What shared memory has, where this worker's copy is missing or was checked at another generation.
local function look_up(sort, name, generation, entry)
  local key = name == "" and sort or sort .. " " .. name
  local text, writing = records:get(key)
  local known = entry or others[sort][name]
  if not known or known[2] ~= writing then
    known = { text and decode(key, text), writing }
  end
  known[3] = generation
  if known ~= entry then
    keep(sort, name, known, bytes_each + #(text or key))
  end
  return known[1]
end

-- LuaJIT makes machine code of the way a request happened to take. It leaves ways that lead here
-- alone and waits for one that does not: a worker's first requests do, the others seldom.
jit.off(look_up)

-- The record as of this generation, or nil. One that is alone of its sort has an empty name.
function _M.get(sort, name, generation)
  local entry = recent[sort][name]
  if entry and entry[3] == generation then
    return entry[1]
  end
  return look_up(sort, name, generation, entry)
end

return _M

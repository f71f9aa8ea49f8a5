-- The records that the controller publishes: one shared dictionary, and the part of it that a
-- worker has decoded. A worker's copy is valid while the generation in shared memory is the one at
-- which the copy was checked. So a worker uses a new record at its next lookup, without a timer.
-- Each record has the number of its write beside it, so an unchanged record is not decoded again,
-- and its text need not be kept for a comparison.
local decode = require("sluice.decode")
local journal = require("sluice.journal")

local now = ngx.now
local records = journal.records
local generation_key = journal.generation

local _M = {}

-- Decoded records by sort and name.
local function new_cache()
  return setmetatable({}, {
    __index = function(cache, sort)
      local of_sort = {}
      cache[sort] = of_sort
      return of_sort
    end,
  })
end

-- Decoded records in two sets, each entry as { record, number of its write, generation of its last
-- check }. Records in use are in `recent`. When that set is full it becomes `others`, and the
-- former `others` are dropped.
local recent, others = new_cache(), new_cache()
local recent_bytes = 0

-- Names without a record, each with the generation of its last check. Clients choose the names of
-- hosts, so missing ones have a set of their own: when it is full, it alone is dropped.
local missing = new_cache()
local missing_names, most_missing_names = 0, 4000

local function keep_missing(sort, name, generation)
  if missing[sort][name] == nil then
    if missing_names == most_missing_names then
      missing, missing_names = new_cache(), 0
    end
    missing_names = missing_names + 1
  end
  missing[sort][name] = generation
end

-- The size at which `recent` is full, in bytes of text, and the bytes that each record adds
-- whatever its text. 10,000 plain hosts have 7 MB of text, and twice that decoded.
local most_recent_bytes = 8000000
local bytes_each = 200

-- Returns about the bytes of a decoded record. A key pair has OpenSSL's form (certificate.lua),
-- which takes several times its text. So a worker has some 1,600 small pairs in this form. It
-- parses others again, for a quarter of the CPU of a handshake.
local function size_of(sort, text)
  return bytes_each + (sort == "pair" and 5000 + 4 * #text or #text)
end

local function keep(sort, name, entry, bytes)
  if recent_bytes + bytes > most_recent_bytes then
    local has_pairs = next(others.pair) ~= nil
    recent, others = new_cache(), recent
    recent_bytes = 0
    if has_pairs then
      -- The collector does not count OpenSSL's memory, so it would free the pairs much later.
      collectgarbage()
    end
  end
  recent[sort][name] = entry
  recent_bytes = recent_bytes + bytes
end

local last_generation, asked_at
local closing

-- Returns the present generation. Code that reads several records at one moment calls this once.
function _M.generation()
  local generation = records:get(generation_key)
  if generation ~= last_generation then
    closing = records:get(journal.closing)
  end
  last_generation, asked_at = generation, now()
  return generation
end

-- Returns whether each answer closes its connection, as of the last generation.
function _M.closing()
  return closing
end

-- Returns the generation of this millisecond of nginx's clock: the one by which a request was
-- routed, if it is passed on at once.
function _M.recent_generation()
  if asked_at == now() then
    return last_generation
  end
  return _M.generation()
end

-- Returns whether a controller has published all of its records. Before that, a record that is
-- missing here may exist.
function _M.is_filled()
  return records:get("instance") ~= nil
end

-- Reads shared memory if the worker's copy is missing or was checked at another generation.
local function look_up(sort, name, generation, entry)
  local key = name == "" and sort or sort .. " " .. name
  local text, writing = records:get(key)
  if not text then
    recent[sort][name], others[sort][name] = nil, nil
    keep_missing(sort, name, generation)
    return nil
  end
  local known = entry or others[sort][name]
  if not known or known[2] ~= writing then
    known = { decode(sort, name, text), writing }
  end
  known[3] = generation
  if known ~= entry then
    keep(sort, name, known, size_of(sort, text))
  end
  return known[1]
end

-- LuaJIT compiles the path that a request happened to take. Without this line it could compile the
-- rare path through `look_up`, which mostly a worker's first requests take.
jit.off(look_up)

-- Returns the record as of this generation, or nil. A sort with a single record has an empty name.
function _M.get(sort, name, generation)
  local entry = recent[sort][name]
  if entry and entry[3] == generation then
    return entry[1]
  elseif missing[sort][name] == generation then
    return nil
  end
  return look_up(sort, name, generation, entry)
end

return _M

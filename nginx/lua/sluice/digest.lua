-- Computes digests of the contents of shared memory, so that the controller can compare them with
-- what it wrote. A word from the request is the key of the digests, so that an older answer cannot
-- be replayed. Listing all keys stops every worker for a moment, so the controller requests digests
-- only when the counter of writes shows that another program has written.
local journal = require("sluice.journal")
local records = journal.records
local own = { [journal.generation] = true, [journal.writing] = true, [journal.closing] = true }
local parts = 256
-- After this many parts the worker serves other requests first.
local parts_at_once = 8
-- The most kilobytes of garbage. The texts of all records would double a worker's memory for good.
local most_garbage = 8192

local _M = {}

local function keys_by_part()
  local found = {}
  for part = 0, parts - 1 do
    found[part] = {}
  end
  for _, key in ipairs(records:get_keys(0)) do
    if not own[key] then
      local keys = found[ngx.crc32_long(key) % parts]
      keys[#keys + 1] = key
    end
  end
  return found
end

local function text_of(key)
  local value = tostring(records:get(key))
  return #key .. ":" .. key .. #value .. ":" .. value
end

local function digest(text)
  return ngx.encode_base64(ngx.hmac_sha1(ngx.var.arg_word or "", text))
end

-- Collects the garbage if there is much of it, and returns the kilobytes in use.
local function tidy(in_use)
  if collectgarbage("count") > in_use + most_garbage then
    collectgarbage()
    return collectgarbage("count")
  end
  return in_use
end

-- Prints a line with the digest of each part of the records. With the argument `part`, it prints a
-- line for each record of that part instead: its digest and its key.
function _M.serve()
  local found = keys_by_part()
  local only = tonumber(ngx.var.arg_part)
  if only then
    for _, key in ipairs(found[only] or {}) do
      ngx.say(digest(text_of(key)), " ", ngx.escape_uri(key))
    end
    return
  end
  local in_use = collectgarbage("count")
  for part = 0, parts - 1 do
    local keys = found[part]
    table.sort(keys)
    for at, key in ipairs(keys) do
      keys[at] = text_of(key)
    end
    ngx.say(digest(table.concat(keys)))
    found[part] = nil
    if part % parts_at_once == 0 then
      in_use = tidy(in_use)
      ngx.sleep(0.001)
    end
  end
  tidy(0)
end

return _M

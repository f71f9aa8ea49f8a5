-- Random numbers. Workers are forked from one master and would all draw the same ones.
local ffi = require("ffi")

local byte = string.byte
local text = ffi.string

local _M = {}

-- As many bytes from the kernel, or nil.
local function random_bytes(count)
  local file = io.open("/dev/urandom", "r")
  local bytes = file and file:read(count)
  if file then
    file:close()
  end
  return bytes
end

-- A request that comes by here is no model for LuaJIT's machine code.
jit.off(random_bytes)

function _M.seed()
  local bytes = random_bytes(4)
  local seed = bytes and 0 or ngx.now() * 1000 + ngx.worker.pid()
  for i = 1, bytes and #bytes or 0 do
    seed = seed * 256 + string.byte(bytes, i)
  end
  math.randomseed(seed)
end

-- Hexadecimal digits of so many ids, in one piece: taking the next 32 costs next to nothing.
local ids_at_once = 256
local digits_each = 32
local digits = ffi.new("char[?]", ids_at_once * digits_each)
local unused = 0

-- The two digits of each byte, as memory has them.
local both_digits = ffi.new("uint16_t[256]")
for value = 0, 255 do
  ffi.copy(both_digits + value, string.format("%02x", value), 2)
end

local function make_ids()
  local bytes = random_bytes(ids_at_once * digits_each / 2)
  if not bytes then
    return
  end
  local pairs_of_digits = ffi.cast("uint16_t *", digits)
  for i = 1, #bytes do
    pairs_of_digits[i - 1] = both_digits[byte(bytes, i)]
  end
  unused = ids_at_once
end

-- 32 hexadecimal digits, as good as those of nginx's $request_id, or nil where the kernel gives no
-- random bytes. For that one nginx sets OpenSSL's generator going at each request, which costs as
-- much as all routing.
function _M.request_id()
  if unused == 0 then
    make_ids()
  end
  if unused > 0 then
    unused = unused - 1
    return text(digits + unused * digits_each, digits_each)
  end
end

return _M

-- Random numbers from the kernel. Workers are forks of one master, so a generator seeded there
-- would give all of them the same numbers.
local ffi = require("ffi")

local text = ffi.string

local _M = {}

-- Returns this many bytes from the kernel, or nil.
local function random_bytes(count)
  local file = io.open("/dev/urandom", "r")
  local bytes = file and file:read(count)
  if file then
    file:close()
  end
  return bytes
end

-- Few requests run this function, so LuaJIT should not compile it.
jit.off(random_bytes)

function _M.seed()
  local bytes = random_bytes(4)
  local seed = bytes and 0 or ngx.now() * 1000 + ngx.worker.pid()
  for i = 1, bytes and #bytes or 0 do
    seed = seed * 256 + string.byte(bytes, i)
  end
  math.randomseed(seed)
end

-- Hexadecimal digits of many ids in one text, so that taking the next 32 costs almost nothing.
local ids_at_once = 256
local digits_each = 32
local digits = ffi.new("char[?]", ids_at_once * digits_each)
local unused = 0

-- The two digits of each byte, in memory order.
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
    pairs_of_digits[i - 1] = both_digits[bytes:byte(i)]
  end
  unused = ids_at_once
end

-- Returns 32 hexadecimal digits, as random as nginx's $request_id, or nil if the kernel gives no
-- bytes. nginx's own starts OpenSSL's generator at each request, which costs as much as all
-- routing.
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

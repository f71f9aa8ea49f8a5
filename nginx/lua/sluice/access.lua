-- Decides by a client's address whether it may use a location, as nginx's `deny` and `allow` do.
-- The lists are data of the route, so that a new list needs no reload. Their text is
-- `denied|allowed`; each side has ranges like `c0000200/24`, separated by blanks.
local band = require("bit").band

local _M = {}

local function binary(two)
  return string.char(tonumber(two, 16))
end

-- Returns the first `bits` bits of an address; the other bits of the last byte are zeros.
local function prefix_of(address, bits)
  local whole = math.floor(bits / 8)
  local rest = bits - 8 * whole
  local prefix = address:sub(1, whole)
  return rest == 0 and prefix or prefix .. string.char(band(address:byte(whole + 1), 256 - 2 ^ (8 - rest)))
end

-- Returns sets of prefixes by the number of bytes of their addresses, then by their number of bits.
local function ranges_in(text)
  local ranges = { [4] = {}, [16] = {} }
  for digits, bits in text:gmatch("(%x+)/(%d+)") do
    local address = digits:gsub("%x%x", binary)
    local of_length = ranges[#address]
    bits = tonumber(bits)
    of_length[bits] = of_length[bits] or {}
    of_length[bits][prefix_of(address, bits)] = true
  end
  return ranges
end

-- The lists that this worker has read, by their text, which thousands of routes may share.
local known, known_texts = {}, 0
local most_known = 1000

local function lists_of(text)
  local lists = known[text]
  if lists then
    return lists
  end
  if known_texts >= most_known then
    known, known_texts = {}, 0
  end
  local denied, allowed = text:match("^(.*)|(.*)$")
  lists = { denied = ranges_in(denied), allowed = ranges_in(allowed), is_open = allowed == "" }
  known[text] = lists
  known_texts = known_texts + 1
  return lists
end

-- Returns whether a range has the address. It looks into one set for each number of bits.
local function covers(ranges, address)
  for bits, prefixes in pairs(ranges[#address] or {}) do
    if prefixes[prefix_of(address, bits)] then
      return true
    end
  end
  return false
end

local mapped = "^" .. ("%z"):rep(10) .. "\255\255"

-- Returns whether a client with this address, in network byte order, may pass. A client of a Unix
-- socket has no address, so no range has it.
function _M.may_pass(text, address)
  if #address == 16 and address:find(mapped) then
    address = address:sub(13)
  end
  local lists = lists_of(text)
  return not covers(lists.denied, address) and (lists.is_open or covers(lists.allowed, address))
end

-- Returns whether one of the ranges has the address.
function _M.is_among(ranges, address)
  return _M.may_pass("|" .. ranges, address)
end

-- Runs in the access phase. Only locations with lists call it, so a missing list refuses every
-- client.
function _M.check()
  local var = ngx.var
  local text = var.route_access
  if text and text ~= "" and _M.may_pass(text, var.binary_remote_addr or "") then
    return
  end
  ngx.log(ngx.ERR, "access forbidden by rule")
  return ngx.exit(403)
end

return _M

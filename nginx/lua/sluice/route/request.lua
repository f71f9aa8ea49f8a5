-- Reads the parts of a request that each routing needs at once. nginx hashes the name of each
-- variable that Lua reads, character by character. The argument of set_by_lua costs less: there
-- nginx has found its variables when it read the text (templates/jump.tmpl).
local ffi = require("ffi")
require("resty.core.param")

ffi.cdef([[
void *memchr(const void *text, int byte, size_t length);
int memcmp(const void *one, const void *other, size_t length);
]])

local C = ffi.C
local get_request = require("resty.core.base").get_request
local string_of = ffi.string

local _M = {}

local data, size = ffi.new("unsigned char *[1]"), ffi.new("size_t[1]")
local bytes = ffi.typeof("unsigned char *")
local line_feed = 10
local digit_one = 49
-- "HTTP/1.1", and the place of its first digit.
local protocol_length, digit_at = 8, 5

-- Returns the host, the decoded path, and two facts: that no header is about a body, and that the
-- request has none for certain, which over HTTP/2 no header tells. Returns nil if the Host
-- header is not exactly $host, or if the request has X-Forwarded-For.
--
-- The argument has five lines. The first is the protocol with Content-Length and Transfer-Encoding
-- behind it, and the others are X-Forwarded-For, the Host header, $host and $uri. Only $uri may
-- contain a line feed. This is for set_by_lua alone: nginx drops the argument when that ends.
function _M.plain()
  C.ngx_http_lua_ffi_get_setby_param(get_request(), 1, data, size)
  local text, length = data[0], tonumber(size[0])
  local last = text + length
  local first = ffi.cast(bytes, C.memchr(text, line_feed, length))
  if first == nil or first[1] ~= line_feed then
    return nil
  end
  local header = first + 2
  local ending = ffi.cast(bytes, C.memchr(header, line_feed, last - header))
  local host_length = ending - header
  local host = ending + 1
  local uri = host + host_length + 1
  if host_length == 0 or uri >= last or uri[-1] ~= line_feed or C.memcmp(header, host, host_length) ~= 0 then
    return nil
  end
  local no_length = first - text == protocol_length
  local no_body = no_length and text[digit_at] == digit_one
  return string_of(host, host_length), string_of(uri, last - uri), no_length, no_body
end

return _M

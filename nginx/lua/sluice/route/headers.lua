-- Reads the Host header and X-Forwarded-For of a request at once. nginx hashes the name of each
-- variable that Lua reads, character by character. The argument of set_by_lua costs half as much:
-- there nginx has found its variables when it read the text (templates/jump.tmpl).
local ffi = require("ffi")
require("resty.core.param")

local C = ffi.C
local get_request = require("resty.core.base").get_request

local _M = {}

local data, size = ffi.new("unsigned char *[1]"), ffi.new("size_t[1]")
local line_feed = 10

-- Returns the Host header of a request without X-Forwarded-For, else nil. The argument is the two
-- headers with a line feed between them, which no header may contain. This is for set_by_lua alone:
-- nginx drops the argument when that ends.
function _M.only_host()
  C.ngx_http_lua_ffi_get_setby_param(get_request(), 1, data, size)
  local length = tonumber(size[0])
  if length > 0 and data[0][length - 1] == line_feed then
    return ffi.string(data[0], length - 1)
  end
end

return _M

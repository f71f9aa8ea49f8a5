-- Keeps the client's own headers while a location changes them. An internal redirect leads to
-- another location, which gets the headers of the client and not those of the first location.
local cjson = require("cjson.safe")

local ngx = ngx
local ipairs = ipairs
local type = type

local _M = {}

-- Runs before a location changes headers of the request.
function _M.keep()
  local var = ngx.var
  if (var.route_client_headers or "") == "" then
    var.route_client_headers = cjson.encode(ngx.req.get_headers(0))
  end
end

local function is_same(one, other)
  if type(one) ~= "table" or type(other) ~= "table" or #one ~= #other then
    return one == other
  end
  for at, value in ipairs(one) do
    if value ~= other[at] then
      return false
    end
  end
  return true
end

-- Gives the request the headers that were kept.
function _M.restore()
  local kept = cjson.decode(ngx.var.route_client_headers or "")
  if not kept then
    return
  end
  local req = ngx.req
  local now = setmetatable(req.get_headers(0), nil)
  for name in pairs(now) do
    if kept[name] == nil then
      req.clear_header(name)
    end
  end
  for name, value in pairs(kept) do
    if not is_same(value, now[name]) then
      req.set_header(name, value)
    end
  end
end

return _M

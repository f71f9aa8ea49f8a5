-- Removes what a location has left in a request that leaves it by an internal redirect: its
-- filters, values and marks, and the headers that it has given the request. The next location
-- starts as if the client had sent the request there.
local cjson = require("cjson.safe")
local rewrite = require("sluice.route.rewrite")
local route_variables = require("sluice.route.variables")

local _M = {}

-- The variables that routers and locations set, beside those that only some configurations read.
local names = {}

function _M.know(variables)
  names = variables
end

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
local function restore()
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

function _M.remove()
  restore()
  local var = ngx.var
  for _, name in ipairs(names) do
    var[name] = ""
  end
  for name in pairs(route_variables.used) do
    -- The names of values of the whole request begin with `s_`.
    if name:sub(1, 2) ~= "s_" then
      var[name] = ""
    end
  end
  var.route_tried = var.upstream_addr or ""
  -- An auth service is asked about the path that is served. nginx itself keeps the client's path in
  -- $request_uri.
  var.route_asked = rewrite.harmless(rewrite.current(var))
end

return _M

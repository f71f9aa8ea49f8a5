-- Removes what a location has left in a request that leaves it by an internal redirect: its
-- filters, values and marks, and the headers that it has given the request. The next location
-- starts as if the client had sent the request there.
local client_headers = require("sluice.client_headers")
local rewrite = require("sluice.route.rewrite")
local route_variables = require("sluice.route.variables")

local ngx = ngx
local ipairs = ipairs
local pairs = pairs
local sub = string.sub

local _M = {}

-- The variables that routers and locations set, beside those that only some configurations read.
local names = {}

function _M.know(variables)
  names = variables
end

function _M.remove()
  client_headers.restore()
  local var = ngx.var
  for _, name in ipairs(names) do
    var[name] = ""
  end
  for name in pairs(route_variables.used) do
    -- The names of values of the whole request begin with `s_`.
    if sub(name, 1, 2) ~= "s_" then
      var[name] = ""
    end
  end
  var.route_tried = var.upstream_addr or ""
  -- An auth service is asked about the path that is served. nginx itself keeps the client's path in
  -- $request_uri.
  var.route_asked = rewrite.harmless(rewrite.current(var))
end

return _M

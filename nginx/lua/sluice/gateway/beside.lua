-- The router of a port that Ingresses and Gateways share. The more specific hostname decides, and a
-- request that no route takes goes to the Ingresses.
local gateway = require("sluice.gateway")
local headers = require("sluice.route.headers")
local route = require("sluice.route")

local _M = {}

function _M.run(slot)
  if ngx.req.is_internal() then
    return ""
  end
  return gateway.target(slot, headers.only_host()) or route.run(slot)
end

function _M.jump(slot)
  local target = gateway.target(slot)
  return target and ngx.exec(target) or route.jump(slot)
end

return _M

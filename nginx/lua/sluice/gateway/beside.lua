-- The router of a port that Ingresses and Gateways share. The more specific hostname decides, and a
-- request that no route takes goes to the Ingresses.
local entry = require("sluice.route.entry")
local gateway = require("sluice.gateway")
local route = require("sluice.route")

local _M = {}

function _M.target(slot, host, uri, no_length)
  local target, upstream, label, is_usual = gateway.target_beside(slot, host, uri, no_length)
  if target then
    return target, upstream, label, is_usual
  end
  -- The second value then says that a route names the host.
  return route.target(slot, host, uri, no_length, upstream)
end

function _M.run(slot)
  return entry.run(_M, slot)
end

function _M.jump(slot)
  return entry.jump(_M, slot)
end

return _M

-- Picks the peer for a request. Endpoints are read at every pick, so one that has left is never picked again.
local balancer = require("ngx.balancer")
local store = require("sluice.store")

local _M = {}

-- Where each upstream's round goes on, per worker.
local position = {}

function _M.run()
  local id = ngx.var.route_upstream
  local upstream = store.get("upstream " .. id)
  local endpoints = upstream and upstream.endpoints
  if not endpoints or #endpoints == 0 then
    ngx.log(ngx.ERR, "no endpoints for ", id)
    return ngx.exit(503)
  end
  local next_position = (position[id] or math.random(#endpoints)) % #endpoints + 1
  position[id] = next_position
  local set, problem = balancer.set_current_peer(endpoints[next_position])
  if not set then
    ngx.log(ngx.ERR, "peer ", endpoints[next_position], " could not be set: ", problem)
    return ngx.exit(502)
  end
end

return _M

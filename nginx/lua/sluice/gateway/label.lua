-- Sets variables that name the route and backend of a request at a Gateway, as route/variables.lua
-- does for Ingresses.
local random = require("sluice.random")
local variables = require("sluice.route.variables")

local ngx = ngx
local sub = string.sub
local used = variables.used

local _M = {}

-- Returns the labels of the metrics in one text: those that Ingresses have, then those of routes.
local function labels_of(location, backend, listener)
  local labels = backend.labels
  if not labels or backend.labels_for ~= listener then
    labels = (location.namespace or "")
      .. "\t\t"
      .. (backend.service or "")
      .. "\t"
      .. (location.path or "")
      .. "\t"
      .. listener.gateway
      .. "\t"
      .. listener.name
      .. "\t"
      .. (location.route or "")
      .. "\t"
      .. (location.rule or "")
    backend.labels, backend.labels_for = labels, listener
  end
  return labels
end

-- Sets only the variables that this configuration reads.
function _M.tell(location, backend, listener)
  local var = ngx.var
  local id = used.s_id and random.request_id()
  if id then
    var.s_id = id
  end
  if used.route_labels then
    var.route_labels = labels_of(location, backend, listener)
  end
  if used.namespace then
    var.namespace = location.namespace
  end
  -- Error pages and logs use this variable to name the object, so it has the name of the route.
  if used.ingress_name and location.route then
    var.ingress_name = sub(location.route, #location.namespace + 2)
  end
  if used.service_name then
    var.service_name = backend.service
  end
  if used.service_port then
    var.service_port = backend.port
  end
  if used.location_path then
    var.location_path = location.path
  end
  if used.gateway then
    var.gateway = listener.gateway
  end
  if used.listener then
    var.listener = listener.name
  end
  if used.route then
    var.route = location.route
  end
  if used.rule then
    var.rule = location.rule
  end
  variables.closed(location)
end

return _M

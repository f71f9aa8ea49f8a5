-- Sets variables that name the route of a request, for logs, metrics, snippets and error pages.
-- Setting a variable costs as much as finding the route's upstream, so only those that this
-- configuration reads are set.
local random = require("sluice.random")
local rewrite = require("sluice.route.rewrite")

local ngx = ngx
local match = string.match
local pairs = pairs
local sub = string.sub

local _M = {}

-- The variables that this configuration reads, by name.
local used = {}
_M.used = used
-- The variables of the path's groups that this configuration reads: their names by the number of
-- the group.
local used_groups, has_used_groups = {}, false

function _M.use(names)
  for _, name in ipairs(names) do
    used[name] = true
    local number = match(name, "^route_group_(%d)$")
    if number then
      used_groups[tonumber(number)], has_used_groups = name, true
    end
  end
end

-- Returns the labels of the metrics in one text, which nginx makes part of a longer one
-- (count.lua). It is made once for each record, and again for another listener.
local function labels_of(location, backend, listener)
  local labels = backend.labels
  if not labels or backend.labels_for ~= listener then
    local namespace, ingress, service = location.namespace or "", location.ingress or "", backend.service or ""
    labels = namespace .. "\t" .. ingress .. "\t" .. service .. "\t" .. (location.path or "")
    if listener then
      local route, rule = location.route or "", location.rule or ""
      labels = labels .. "\t" .. listener.gateway .. "\t" .. listener.name .. "\t" .. route .. "\t" .. rule
    end
    backend.labels, backend.labels_for = labels, listener
  end
  return labels
end

-- Gives the reason why a closed location answers 503.
function _M.closed(location)
  local why = location.closed
  if not why then
    return
  end
  if used.closed_reason then
    ngx.var.closed_reason = why
  end
  ngx.log(ngx.INFO, "503 for ", ngx.var.host, ": ", why)
end

-- Sets the variables of a route at a listener.
local function name_route(var, location, listener)
  -- Error pages and logs use this variable to name the object, so it has the name of the route.
  if used.ingress_name then
    var.ingress_name = sub(location.route, #location.namespace + 2)
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
end

-- `groups` are the groups of the path, or the label of the host's wildcard. `backend` is the one
-- that gets the request, or the location itself.
function _M.set(location, groups, backend, listener)
  local var = ngx.var
  if has_used_groups then
    for number, name in pairs(used_groups) do
      var[name] = rewrite.harmless(groups[number] or "")
    end
  end
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
  if listener then
    name_route(var, location, listener)
  elseif used.ingress_name then
    var.ingress_name = location.ingress
  end
  if used.service_name then
    var.service_name = backend.service
  end
  if used.service_port then
    var.service_port = backend.port
  end
  if used.location_path or location.sticky then
    var.location_path = location.path
  end
  _M.closed(location)
end

return _M

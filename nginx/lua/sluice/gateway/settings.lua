-- Applies RouteSettings that the text of the shape cannot hold: another Service if the backend
-- has no endpoints, another path towards the backend, and a cookie that binds clients to endpoints.
local regex = require("sluice.regex")
local rewrite = require("sluice.route.rewrite")
local route = require("sluice.route")

local ngx = ngx

local _M = {}

local none = {}

-- Returns the upstream and shape that answer in place of the backend, or nil if the backend
-- itself answers.
function _M.stand_in(settings, served, generation)
  local named = settings.standIn
  if not named then
    return nil
  end
  local var = ngx.var
  local id, other = route.stand_in(named, generation)
  var.route_error_upstream = id
  var.route_error_name = other.label
  if not served and id ~= "default" then
    return id, other, named.shape
  end
end

-- Runs before the filters. If a filter changes the path as well, the filter wins.
function _M.run(location, settings, filters)
  local var = ngx.var
  if settings.sticky then
    var.route_sticky = settings.sticky
    var.location_path = location.path
  end
  local target = settings.rewrite
  if target and not (filters and filters.rewrite and filters.rewrite.path) then
    local uri = var.uri
    local groups = target[1] ~= "" and regex.groups(regex.whole, uri, target[1]) or none
    rewrite.run(location, target, groups, uri)
  end
end

return _M

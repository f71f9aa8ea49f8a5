-- From host and path to a shape: the named location that says how the request is served. The router only routes: it tells nginx
-- the location's name, and nginx jumps. What else it finds out (no endpoints, too large, denied) it leaves in variables, and the
-- shape answers, so that its error pages, headers and log apply.
local canary = require("sluice.canary")
local patterns = require("sluice.patterns")
local random = require("sluice.random")
local store = require("sluice.store")

local ngx = ngx
local find = string.find
local sub = string.sub
local lower = string.lower
local byte = string.byte
local format = string.format
local gsub = string.gsub

local _M = {}

-- The shapes of each server of this configuration. Shared memory may be newer than this worker's text: a jump to a location
-- that its server lacks would be a 500.
local shapes_of = {}

function _M.know(slot, names)
  local shapes = {}
  for _, name in ipairs(names) do
    shapes[name] = true
  end
  shapes_of[slot] = shapes
end

-- Variables that say where a request was routed to and that something of this configuration reads. Setting one costs as much
-- as finding the route's upstream.
local told = {}

function _M.tell(names)
  for _, name in ipairs(names) do
    told[name] = true
  end
end

-- What requests are counted by, in one text, which nginx makes part of another (count.lua).
local function labels_of(location)
  local namespace, ingress, service = location.namespace or "", location.ingress or "", location.service or ""
  return namespace .. "\t" .. ingress .. "\t" .. service .. "\t" .. (location.path or "")
end

-- What begins so is answered by Sluice itself where no host takes the request: { path, location }, unless an Ingress has
-- exactly that path (RS-4.8).
local own_paths = {}

function _M.own(paths)
  own_paths = paths
end

local function own_location(record, uri)
  if record.exact and record.exact[uri] then
    return nil
  end
  for _, own in ipairs(own_paths) do
    if sub(uri, 1, #own[1]) == own[1] then
      return own[2]
    end
  end
end

-- A record of this generation; with `age`, as a text so many before the newest one needs it.
local function get(sort, name, generation, age)
  if age then
    return store.get_older(sort, name, age, generation)
  end
  return store.get(sort, name, generation)
end

-- The record of the host, and whether TLS is configured for it: its own record or its alias's, or that of a pattern or of
-- the wildcard one label above, or the catch-all's, which the third answer says.
local function host_record(host, generation, age)
  local record = get("host", host, generation, age)
  if record then
    return record.as and get("host", record.as, generation, age) or record, record.tls
  end
  local dot = find(host, ".", 1, true)
  local parent = dot and dot > 1 and not find(sub(host, 1, dot - 1), "[^%w_-]") and "*" .. sub(host, dot)
  local wildcard = parent and get("host", parent, generation, age)
  local list = get("patterns", "", generation, age)
  local name, tls
  if list then
    name, tls = patterns.match(list, host, wildcard and parent)
  end
  local named = name and get("host", name, generation, age)
  if named then
    return named, tls or (wildcard and wildcard.tls)
  end
  if wildcard then
    return wildcard, wildcard.tls
  end
  return get("host", "_", generation, age), nil, true
end

local function longest_of_many(record, uri)
  local by_path = record.by_path
  if not by_path then
    by_path = {}
    for at = 1, #record.prefix, 2 do
      by_path[record.prefix[at]] = record.prefix[at + 1]
    end
    record.by_path = by_path
  end
  local at = #uri
  while at > 0 do
    if sub(uri, at, at) == "/" then
      local index = by_path[sub(uri, 1, at)]
      if index then
        return index
      end
    end
    at = at - 1
  end
end

-- The longest prefix that begins the path. A record has them with their locations behind them, the longest first. Most hosts have
-- few, and those are tried without a loop: LuaJIT makes one piece of machine code of a request only where none is on its way.
local function longest_prefix(record, uri)
  local list = record.prefix
  local one, two, three = list[1], list[3], list[5]
  if sub(uri, 1, #one) == one then
    return list[2]
  elseif not two then
    return nil
  elseif sub(uri, 1, #two) == two then
    return list[4]
  elseif not three then
    return nil
  elseif sub(uri, 1, #three) == three then
    return list[6]
  end
  return list[7] and longest_of_many(record, uri)
end

local function percent(char)
  return format("%%%02X", byte(char))
end

-- $1 to $9 are the groups of the path, ${name} is a variable, $$ the sign itself; a group that took no part is empty.
-- Groups are parts of the decoded path: what `escaped` (a Lua pattern) matches in them is written as %XX.
local function expand(template, groups, escaped)
  return (ngx.re.gsub(template, [[\$(?:(\d)|\{(\w+)\}|\$)]], function(m)
    if m[1] then
      local group = groups[tonumber(m[1])] or ""
      return escaped and gsub(group, escaped, percent) or group
    end
    return m[2] and (ngx.var[m[2]] or "") or "$"
  end, "jo"))
end

-- A rewrite that begins so is a redirect (RS-6.9).
local function is_elsewhere(target)
  return find(target, "^https?://") or find(target, "${scheme}", 1, true) == 1
end

-- False where a pattern ran into the limit of its steps: it cannot be said whose the path is then, and the next one may
-- guard less. One that does not compile is nobody's; the sync leaves out those it knows.
local function match(record, uri)
  if record.regex then
    for _, route in ipairs(record.regex) do
      local groups, why = ngx.re.match(uri, route[1], "ijo")
      if groups then
        return record.locations[route[2]], route, groups
      end
      if why then
        ngx.log(ngx.WARN, "path ", route[1], ": ", why)
        if not find(why, "compile", 1, true) then
          return false
        end
      end
    end
    return nil
  end
  local index = record.exact and record.exact[uri]
  local slash = not index and record.slash and record.slash[uri]
  if slash then
    return record.locations[slash[2]], nil, nil, slash[1]
  end
  index = index or (record.prefix and longest_prefix(record, uri))
  return index and record.locations[index]
end

-- The upstream that answers in place of others, or the default backend where that one has no endpoints either.
local function stand_in(named, generation)
  local upstream = store.get("upstream", named.upstream, generation)
  if upstream and #upstream.endpoints > 0 then
    return named.upstream, upstream
  end
  return "default", store.get("upstream", "default", generation) or {}
end

-- The location that serves the request; nil and its name where that is a shape which the server lacks.
local function target_of(slot, generation, age)
  local var = ngx.var
  local uri = var.uri
  local record, tls, is_catch_all = host_record(lower(var.host), generation, age)
  if not record then
    return "@sluice_unrouted"
  end
  local own = is_catch_all and own_location(record, uri)
  if own then
    return own
  end
  if record.to then
    var.route_www = record.to
    return "@sluice_www"
  end
  if record.root and uri == "/" then
    var.route_app_root = expand(record.root, {})
    return "@sluice_app_root"
  end
  local location, route, groups, slash = match(record, uri)
  if location == false then
    return "@sluice_undecided"
  end
  if not location then
    return "@sluice_unrouted"
  end

  local shape = location.shape
  local upstream_id = location.upstream
  local upstream = store.get("upstream", upstream_id, generation)
  local served = upstream and #upstream.endpoints > 0
  local substituted = false
  if location.standIn then
    local id, other = stand_in(location.standIn, generation)
    var.route_error_upstream = id
    var.route_error_name = other.label
    if not served and id ~= "default" then
      shape, upstream_id, upstream, served, substituted = location.standIn.shape, id, other, true, true
    end
  end
  if not shapes_of[slot][shape] then
    return nil, shape
  end
  if not served then
    var.route_unserved = "1"
  elseif location.canaries and not substituted then
    local id, alternative = canary.choose(location.canaries, upstream, generation)
    if id then
      upstream_id = id
      var.proxy_alternative_upstream_name = alternative.label
    end
  end
  if location.sticky then
    var.route_sticky = "1"
  end
  if record.certificate then
    var.route_certificate = record.certificate
  end
  if tls then
    var.route_tls = "1"
  end
  local limit = location.limit
  if limit then
    local length = tonumber(var.content_length)
    if length and length > limit then
      var.route_too_large = "1"
    end
  end
  if slash then
    var.route_slash = slash
  end
  var.route_upstream = upstream_id
  var.proxy_upstream_name = upstream and upstream.label or upstream_id
  if told.route_request_id then
    var.route_request_id = random.request_id()
  end
  if told.route_labels then
    var.route_labels = labels_of(location)
  end
  if told.namespace then
    var.namespace = location.namespace
  end
  if told.ingress_name then
    var.ingress_name = location.ingress
  end
  if told.service_name then
    var.service_name = location.service
  end
  if told.service_port then
    var.service_port = location.port
  end
  if told.location_path or location.sticky then
    var.location_path = location.path
  end
  if location.variables then
    for name, value in pairs(location.variables) do
      var["route_" .. name] = value
    end
  end
  local target, prefix = route and route[3], route and route[4]
  if target and is_elsewhere(target) then
    -- as nginx does it: a path that the client has escaped stays so
    local escaped = find(var.request_uri, "%", 1, true) and "[%c #%%&+?\127-\255]" or "%c"
    var.route_elsewhere = expand(target, groups, escaped) .. (var.is_args or "") .. (var.args or "")
  elseif target then
    if prefix then
      var.route_prefix = expand(prefix, groups, "%c")
    end
    local rewritten = expand(target, groups)
    if location.rewritesLate then
      var.route_rewritten = rewritten
    else
      -- any byte may stand in it: nginx escapes it towards the backend
      ngx.req.set_uri(rewritten, false, true)
    end
  elseif location.rewritesLate then
    var.route_rewritten = uri
  end
  return shape
end

-- How many texts before the newest one may still have workers that route by them (mostOlder in src/sync/texts.ts, and the one that runs).
local oldest_age = 17

-- The named location that nginx is to go on with.
local function target_now(slot)
  local generation = store.generation()
  local target, unknown = target_of(slot, generation)
  if target then
    return target
  end
  for age = 1, oldest_age do
    target = target_of(slot, generation, age)
    if target then
      return target
    end
  end
  ngx.log(ngx.WARN, "no shape ", unknown, " in this configuration, for ", ngx.var.host)
  return "@sluice_unknown_shape"
end

-- The same for a request that comes from outside; empty for one that an error page or the like sends here: nginx jumps by way of
-- an error page, and of those it takes one for a request.
function _M.run(slot)
  return ngx.req.is_internal() and "" or target_now(slot)
end

-- Leaves the phase for the location.
function _M.jump(slot)
  return ngx.exec(target_now(slot))
end

-- For a location that is a shape itself: empty where the router means that one, else the named location to go on with.
function _M.here(slot, shape)
  local target = target_now(slot)
  return target == shape and "" or target
end

-- Each way to take a text with hyphens apart in two.
local function splits(text)
  local at = 0
  return function()
    at = find(text, "-", at + 1, true)
    if at then
      return sub(text, 1, at - 1), sub(text, at + 1)
    end
  end
end

-- The id of the upstream that a snippet has named by its label, namespace-service-port: parts may have hyphens themselves.
local function upstream_labelled(label, generation)
  for namespace, rest in splits(label) do
    for service, port in splits(rest) do
      local id = namespace .. "/" .. service .. "/" .. port
      if store.get("upstream", id, generation) then
        return id
      end
    end
  end
  return label
end

-- The upstream that $proxy_upstream_name says after a snippet that sets it.
function _M.renamed()
  local var = ngx.var
  local label = var.proxy_upstream_name
  if label == var.route_label then
    return var.route_upstream
  end
  local generation = store.generation()
  local id = upstream_labelled(label, generation)
  local upstream = store.get("upstream", id, generation)
  var.route_unserved = upstream and #upstream.endpoints > 0 and "" or "1"
  return id
end

-- For the locations inside a snippet: what the router finds out of the request, and whom the snippet's own `set` names.
function _M.inside(slot)
  local var = ngx.var
  if var.route_upstream ~= "" then
    return
  end
  local label = var.proxy_upstream_name
  target_now(slot)
  if label ~= "" then
    var.proxy_upstream_name = label
    var.route_upstream = upstream_labelled(label, store.generation())
  end
end

return _M

-- Routes in shadow serve nothing. For each request to a host that has some, this file finds the one
-- that would take it if they served, and counts it together with what takes it now. In which way
-- the two differ is worked out by the controller (src/decide/shadow), because that needs no
-- request.
local cjson = require("cjson.safe")
local match = require("sluice.route.match")
local paths = require("sluice.gateway.paths")
local rest = require("sluice.gateway.rest")
local store = require("sluice.store")

local ngx = ngx
local find = string.find
local gsub = string.gsub
local sub = string.sub
local counts = ngx.shared.sluice_shadow

local _M = {}

local function found(scope, name, uri, generation, alone)
  local record = store.get("shadow", scope .. name, generation)
  return record and paths.find(record, uri, alone)
end

-- What would take the request, and by which name of the host: a route in shadow, or
-- `paths.namesake` where nothing would be otherwise. `level` is the name that takes it now; names
-- that are less exact would not be asked. It is false for an alias that is a pattern, which comes
-- after all names.
local function taker(scope, host, level, uri, generation)
  local location = found(scope, host, uri, generation)
  if location ~= nil or level == host then
    return location, host
  end
  local dot = find(host, ".", 2, true)
  local first = dot
  while dot do
    local name = "*" .. sub(host, dot)
    location = found(scope, name, uri, generation, dot ~= first)
    if location ~= nil or level == name then
      return location, name
    end
    dot = find(host, ".", dot + 1, true)
  end
  if level == false then
    return nil
  end
  return found(scope, "_", uri, generation), "_"
end

local nobody = {}

-- What takes the request now: a location of a route or of an Ingress, or `nobody`.
local function taken_by(location, host, uri, shared, generation)
  if location and location ~= paths.namesake then
    return location
  end
  local record = shared and match.host(host, generation)
  if not record or record.to or record.root and uri == "/" then
    return nobody
  end
  return match.path(record, uri) or nobody
end

local function words(one)
  if one.route then
    return "route\t" .. one.route .. "\t" .. (one.rule or "") .. "\t" .. one.path
  elseif one.ingress then
    return "ingress\t" .. one.namespace .. "/" .. one.ingress .. "\t\t" .. one.path
  end
  return "nothing\t\t\t"
end

-- Characters of an example.
local longest = 500

-- The request without its headers and without the values of its query.
local function example(var)
  local path, query = string.match(rest.raw_uri(var), "^([^?]*)%??(.*)$")
  local names = gsub(query, "=[^&]*", "=")
  local target = names == "" and path or path .. "?" .. names
  return var.request_method .. " " .. var.scheme .. "://" .. var.host .. sub(target, 1, longest)
end

local weak = { __mode = "k" }

-- `location` and `level` are what takes the request now, and the name of the host by which it was
-- found. Texts are made once for each pair that a worker meets.
function _M.observe(listener, host, uri, location, level, shared, generation)
  local taker_now, name = taker(listener.before_host, host, level, uri, generation)
  if not taker_now or taker_now == paths.namesake then
    return
  end
  local now = taken_by(location, host, uri, shared, generation)
  local keys = taker_now.keys
  if not keys then
    keys = setmetatable({}, weak)
    taker_now.keys = keys
  end
  local key = keys[now]
  if not key then
    key = listener.id .. "\t" .. name .. "\t" .. words(taker_now) .. "\t" .. words(now)
    keys[now] = key
    counts:add("example\t" .. key, example(ngx.var))
  end
  counts:incr(key, 1, 0)
end

-- Says what was counted, for the controller: lines of JSON with a count, a key and an example.
function _M.serve()
  for _, key in ipairs(counts:get_keys(0)) do
    if sub(key, 1, 8) ~= "example\t" then
      ngx.say(cjson.encode({ counts:get(key), key, counts:get("example\t" .. key) or "" }))
    end
  end
end

return _M

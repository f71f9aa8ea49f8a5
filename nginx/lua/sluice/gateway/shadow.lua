-- Observes routes in shadow, which serve nothing. For each request to a host that has some, this
-- file finds the route that would take it, and counts it together with the route or Ingress that
-- takes it now. The controller works out how the two differ (src/ask/matcher/shadow), because that
-- needs no request.
local cjson = require("cjson.safe")
local hosts = require("sluice.route.hosts")
local match = require("sluice.route.match")
local paths = require("sluice.route.paths")
local rewrite = require("sluice.route.rewrite")
local shares = require("sluice.shares")
local store = require("sluice.store")

local counts = ngx.shared.sluice_shadow

local _M = {}

-- Returns the route in shadow that would take the request, or `now` if nothing would change, and
-- the name of the host by which it was found. `level` is the name that takes the request now; less
-- specific names are not tried. It is false for an alias that is a pattern, because patterns come
-- after all names.
local function taker(scope, host, level, uri, generation)
  local name, depth = host, 0
  while name and (name ~= "_" or level ~= false) do
    local record = store.get("shadow", scope .. name, generation)
    local location = record and paths.find(record, uri, depth > 1 and name ~= "_")
    if location ~= nil or level == name then
      return location, name
    end
    name, depth = hosts.wider(name), depth + 1
  end
end

local nobody = {}

-- Returns the location that takes the request now, or `nobody`. `record` is that of its host.
local function taken_by(location, record, host, uri, shared, generation)
  if not location then
    record = shared and match.host(host, generation)
    location = record and not record.to and paths.find(record, uri)
  end
  if not location or location.to or record.root and uri == "/" and not location.route then
    return nobody
  end
  return location
end

local function words(one)
  if one.route then
    return "route\t" .. one.route .. "\t" .. (one.rule or "") .. "\t" .. one.path
  elseif one.ingress then
    return "ingress\t" .. one.namespace .. "/" .. one.ingress .. "\t\t" .. one.path
  end
  return "nothing\t\t\t"
end

-- The name of a pair's example begins with this text.
local examples = "example\t"

-- The most characters of an example.
local longest = 500

-- Returns the request without its headers and without the values of its query.
local function example(var)
  local path, query = string.match(rewrite.origin_form(var), "^([^?]*)%??(.*)$")
  local names = query:gsub("=[^&]*", "=")
  local target = names == "" and path or path .. "?" .. names
  return var.request_method .. " " .. var.scheme .. "://" .. var.host .. target:sub(1, longest)
end

local weak = { __mode = "k" }

-- Counts one request. `location` of `record` takes it now, and `level` is the name of the host by
-- which it was found. The key of a pair is made once in each worker.
function _M.observe(listener, host, uri, location, record, level, shared, generation)
  local taker_now, name = taker(listener.before_host, host, level, uri, generation)
  if not taker_now or taker_now.now then
    return
  end
  local now = taken_by(location, record, host, uri, shared, generation)
  local keys = taker_now.keys
  if not keys then
    keys = setmetatable({}, weak)
    taker_now.keys = keys
  end
  local key = keys[now]
  if not key then
    key = listener.id .. "\t" .. name .. "\t" .. words(taker_now) .. "\t" .. words(now)
    keys[now] = key
  end
  if not counts:incr(key, 1) then
    local text = example(ngx.var)
    local namespace = string.match(taker_now.route or taker_now.namespace or "", "^[^/]*")
    counts:add(key, 1, 0, shares.place(counts, namespace, key, #text, examples))
    counts:set(examples .. key, text)
  end
end

-- Returns the counts for the controller: lines of JSON with a count, a key and an example.
function _M.serve()
  for _, key in ipairs(counts:get_keys(0)) do
    if key:sub(1, #examples) ~= examples and not shares.is_own(key) then
      ngx.say(cjson.encode({ (counts:get(key)), key, counts:get(examples .. key) or "" }))
    end
  end
end

return _M

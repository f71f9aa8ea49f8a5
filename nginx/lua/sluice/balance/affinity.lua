-- Session affinity by a cookie (RS-14). The cookie is "<key>|<binding>": the key leads to the
-- endpoint, and the binding names the upstream of a rule that issued it, the main one or a canary.
-- `balanced` finds the endpoint of a key on a ring, so every key has an endpoint. `persistent`
-- compares the key with the checksums of addresses, so a key leads to one endpoint or to none.
local ring = require("sluice.balance.ring")
local session_cookie = require("sluice.balance.session_cookie")
local tries = require("sluice.balance.tries")

local ngx = ngx
local random = math.random
local format = string.format
local find = string.find
local sub = string.sub

-- The most keys that are tried until one leads to the endpoint that was drawn (RS-14.6).
local most_keys = 20
-- The most keys that are tried until one leads to any endpoint that has not failed. If one endpoint
-- of ten is such an endpoint, the chance that all keys miss it is 1 in 10^45.
local most_keys_of_a_retry = 1000

local _M = {}

-- Returns the key of the request's cookie, or nil. A cookie from before ingress-nginx had bindings
-- is a key as a whole.
local function key_that_came(balance)
  local value = ngx.var[balance.variable]
  if not value or value == "" then
    return nil
  end
  local bar = find(value, "|", 1, true)
  return bar and sub(value, 1, bar - 1) or value
end

-- Returns whether the request has a cookie of this upstream.
function _M.is_bound(upstream)
  local balance = upstream.balance
  if not balance or not balance.binding then
    return false
  end
  local value = ngx.var[balance.variable]
  local bar = value and find(value, "|", 1, true)
  return bar ~= nil and sub(value, bar + 1) == balance.binding
end

local function remember(upstream)
  local endpoints = upstream.endpoints
  if upstream.balance.algorithm == "balanced" then
    upstream.ring = ring.new(endpoints)
    return
  end
  upstream.by_key, upstream.keys = {}, {}
  for _, endpoint in ipairs(endpoints) do
    local key = ngx.md5(upstream.label .. endpoint)
    upstream.by_key[key] = endpoint
    upstream.keys[endpoint] = key
  end
end

local function endpoint_of(upstream, key)
  if upstream.ring then
    return upstream.endpoints[ring.find(upstream.ring, key)]
  end
  return upstream.by_key[key]
end

-- Returns a key that leads to an endpoint drawn at random. Endpoints own unequal shares of a ring,
-- so a random key would favour some. If no key is found for the drawn endpoint, a key of another
-- endpoint that has not failed is returned.
local function fresh_key(upstream, tried)
  local all = upstream.endpoints
  local left = tries.left(all, tried)
  local drawn = left[random(#left)]
  if upstream.keys then
    return upstream.keys[drawn]
  end
  local failed = left ~= all and tried
  local stem = format("%.3f.%d.%d.", ngx.now(), ngx.worker.pid(), random(999999))
  local usable
  for i = 1, most_keys_of_a_retry do
    local key = stem .. i
    local endpoint = endpoint_of(upstream, key)
    if endpoint == drawn then
      return key
    elseif not failed or not failed[endpoint] then
      usable = key
    end
    if usable and i >= most_keys then
      break
    end
  end
  return usable or stem
end

function _M.pick(upstream, tried)
  if not upstream.ring and not upstream.keys then
    remember(upstream)
  end
  local balance = upstream.balance
  local key = key_that_came(balance)
  if key and not (tried and balance.change_on_failure) then
    local endpoint = endpoint_of(upstream, key)
    if endpoint then
      return endpoint
    end
  end
  key = fresh_key(upstream, tried)
  session_cookie.issue(balance, key)
  return endpoint_of(upstream, key)
end

return _M

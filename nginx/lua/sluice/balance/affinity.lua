-- Session affinity by a cookie (RS-14). The cookie is "<key>|<binding>": the key leads to the
-- endpoint, and the binding names the upstream of a rule that issued it, the main one or a canary.
-- `balanced` finds the endpoint of a key on a ring, so every key has an endpoint. `persistent`
-- compares the key with the checksums of addresses, so a key leads to one endpoint or to none.
local ring = require("sluice.balance.ring")
local tries = require("sluice.balance.tries")

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
  local bar = value:find("|", 1, true)
  return bar and value:sub(1, bar - 1) or value
end

-- Returns whether the request has a cookie of this upstream.
function _M.is_bound(upstream)
  local balance = upstream.balance
  if not balance or not balance.binding then
    return false
  end
  local value = ngx.var[balance.variable]
  local bar = value and value:find("|", 1, true)
  return bar ~= nil and value:sub(bar + 1) == balance.binding
end

-- Returns the endpoints of an upstream by their keys, and the keys by the endpoints.
function _M.keys_of(upstream)
  local known = upstream.keys
  if not known then
    known = { endpoints = {}, keys = {} }
    for _, endpoint in ipairs(upstream.endpoints) do
      local key = ngx.md5(upstream.label .. endpoint)
      known.endpoints[key], known.keys[endpoint] = endpoint, key
    end
    upstream.keys = known
  end
  return known
end

local function endpoint_of(upstream, key)
  if upstream.ring then
    return upstream.endpoints[ring.find(upstream.ring, key)]
  end
  return _M.keys_of(upstream).endpoints[key]
end

-- Returns a key that leads to an endpoint drawn at random. Endpoints own unequal shares of a ring,
-- so a random key would favour some. If no key is found for the drawn endpoint, a key of another
-- endpoint that has not failed is returned.
local function fresh_key(upstream, tried)
  local all = upstream.endpoints
  local left = tries.left(all, tried)
  local drawn = left[math.random(#left)]
  if not upstream.ring then
    return _M.keys_of(upstream).keys[drawn]
  end
  local failed = left ~= all and tried
  local stem = string.format("%.3f.%d.%d.", ngx.now(), ngx.worker.pid(), math.random(999999))
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

-- Matches browsers that read SameSite=None as Strict, or refuse such a cookie.
local function misunderstands_none(agent)
  return agent ~= nil
    and (
      agent:find("Chrome/[456]%d%.") ~= nil
      or agent:find("CPU iPhone OS 12", 1, true) ~= nil
      or agent:find("iPad; CPU OS 12", 1, true) ~= nil
      or (
        agent:find("Intel Mac OS X 10_14", 1, true) ~= nil
        and agent:find("Safari", 1, true) ~= nil
        and agent:find("Chrome", 1, true) == nil
      )
    )
end

local function same_site_of(balance)
  local value = balance.same_site
  if value == "None" and balance.conditional and misunderstands_none(ngx.var.http_user_agent) then
    return nil
  end
  return value
end

-- `sticky` is 1, or the path of the cookie if the path of the location is a pattern.
local function text_of(balance, key, sticky)
  local var = ngx.var
  local same_site = same_site_of(balance)
  local secure = balance.secure or var.https == "on"
  return balance.name .. "=" .. key .. "|" .. balance.binding
    .. (balance.expires and "; Expires=" .. ngx.cookie_time(ngx.time() + balance.expires) or "")
    .. (balance.max_age and "; Max-Age=" .. balance.max_age or "")
    .. (balance.domain and "; Domain=" .. balance.domain or "")
    .. "; Path=" .. (balance.path or (sticky == "1" and var.location_path or sticky))
    .. (secure and "; Secure" or "")
    .. "; HttpOnly"
    .. (same_site and "; SameSite=" .. same_site or "")
end

-- Writes the affinity cookie (RS-14.2). Only locations whose own Ingress has affinity set it
-- (RS-14.3), and a retry replaces the cookie of the try before it.
local function issue(balance, key)
  local sticky = ngx.var.route_sticky
  if sticky and sticky ~= "" then
    ngx.header["Set-Cookie"] = text_of(balance, key, sticky)
  end
end

function _M.pick(upstream, tried)
  local balance = upstream.balance
  if balance.algorithm == "balanced" then
    upstream.ring = upstream.ring or ring.new(upstream.endpoints)
  end
  local key = key_that_came(balance)
  if key and not (tried and balance.change_on_failure) then
    local endpoint = endpoint_of(upstream, key)
    if endpoint then
      return endpoint
    end
  end
  key = fresh_key(upstream, tried)
  issue(balance, key)
  return endpoint_of(upstream, key)
end

return _M

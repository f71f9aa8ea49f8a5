-- Draws the backend of a request by the weights of the backends, and keeps the sessions of clients.
-- A token leads to the endpoint that answered its first request, whatever the weights of the
-- backends are. The token is "<key>.<binding>", or "<key>.<binding>.<end>" if sessions have a time
-- limit. The key is a hash that only finds endpoints of the rule, so a token leads nowhere else.
-- The binding tells the tokens of one rule from those of another.
local affinity = require("sluice.balance.affinity")
local headers = require("sluice.headers")
local store = require("sluice.store")

local keys_of = affinity.keys_of

local _M = {}

-- Returns the key of the request's token, or nil if the token belongs to another rule or has
-- ended. Sluice did not set a token whose end lies too far in the future.
local function key_that_came(session)
  local key, binding, ending = string.match(ngx.var[session.variable] or "", "^(%x+)%.(%x+)%.?(%d*)$")
  if binding ~= session.binding then
    return nil
  end
  local seconds = session.seconds
  if seconds then
    local left = (tonumber(ending) or 0) - ngx.time()
    return left > 0 and left <= seconds and key or nil
  end
  return key
end

-- Returns the backend of the rule that has the client's session; nil if none has.
local function backend_of_session(backends)
  local key = key_that_came(backends[1].session)
  if not key then
    return nil
  end
  local generation = store.recent_generation()
  for i = 1, #backends do
    local backend = backends[i]
    local upstream = not backend.unusable and store.get("upstream", backend.upstream, generation)
    local endpoint = upstream and keys_of(upstream).endpoints[key]
    if endpoint then
      ngx.var.route_peer = endpoint
      return backend
    end
  end
end

-- Each backend has the sum of the shares up to and including its own; the last sum is 1. The first
-- backend also declares the sessions of the rule.
function _M.choose(backends)
  local kept = backends[1].session and backend_of_session(backends)
  if kept then
    return kept
  end
  local draw = math.random()
  local count = #backends
  for i = 1, count do
    local backend = backends[i]
    if draw < backend.upTo then
      return backend
    end
  end
  return backends[count]
end

-- Returns the endpoint of the session, unless it has left or has failed for this request.
function _M.peer(upstream, tried)
  local peer = ngx.var.route_peer
  if not peer or peer == "" or tried and tried[peer] then
    return nil
  end
  return keys_of(upstream).keys[peer] and peer
end

local function cookie_of(session, token)
  return session.cookie .. "=" .. token
    .. (session.permanent and "; Max-Age=" .. session.seconds or "")
    .. "; Path=" .. session.path
    .. (ngx.var.pass_access_scheme == "https" and "; Secure" or "")
    .. "; HttpOnly; SameSite=Lax"
end

-- Gives the client a token if the endpoint that answered is not the one of its session.
function _M.answer(session)
  local var = ngx.var
  local peer = string.match(var.upstream_addr or "", "[^, ]+$")
  if not peer or peer == var.route_peer or string.find(var.upstream_header_time or "-", "-$") then
    return
  end
  local upstream = store.get("upstream", var.s_to, store.recent_generation())
  local key = upstream and keys_of(upstream).keys[peer]
  if not key then
    return
  end
  local seconds = session.seconds
  local token = key .. "." .. session.binding .. (seconds and "." .. ngx.time() + seconds or "")
  if session.header then
    ngx.header[session.header] = token
    return
  end
  ngx.header["Set-Cookie"] = headers.with(ngx.header["Set-Cookie"], cookie_of(session, token))
end

return _M

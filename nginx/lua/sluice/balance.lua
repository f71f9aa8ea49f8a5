-- Picks the peer for a request, at the first try and at each retry. Endpoints are read at every
-- pick, so an endpoint that was removed is never picked again. Algorithms keep their state in the
-- decoded record of the upstream. The state is dropped when the record changes or is removed, so
-- nothing here grows.
local balancer = require("ngx.balancer")
local store = require("sluice.store")
local tries = require("sluice.balance.tries")
local attempts = require("sluice.gateway.attempts")
local backends = require("sluice.gateway.backends")
local ewma = require("sluice.balance.ewma")
local affinity = require("sluice.balance.affinity")
local round_robin = require("sluice.balance.round_robin")

local algorithms = {
  ewma = ewma,
  hash = require("sluice.balance.hash"),
  balanced = affinity,
  persistent = affinity,
}

-- If proxy-next-upstream-tries sets no limit, a request has at most this many tries, and at most
-- one for each endpoint.
local most_tries = 10
-- The most tries of a request, however many endpoints there are: the tries are one text, which is
-- parsed again at each try.
local most_tries_of_many = 100

-- nginx's NGX_BUSY, which becomes a 502. A status cannot be given in this phase: nginx would answer
-- 500, whatever the status is.
local no_live_upstreams = -3

local min = math.min

local _M = {}

-- Returns an upstream and its endpoints; nil if it has none.
local function endpoints_of(id)
  local upstream = store.get("upstream", id or "", store.recent_generation())
  local endpoints = upstream and upstream.endpoints
  if endpoints and #endpoints > 0 then
    return upstream, endpoints
  end
end

local function set(peer)
  local is_set, problem = balancer.set_current_peer(peer)
  if not is_set then
    ngx.log(ngx.ERR, "peer ", peer, " could not be set: ", problem)
    return ngx.exit(no_live_upstreams)
  end
end

-- With `limited`, the request may have a deadline, a number of retries, or a session. With `timed`,
-- it may have timeouts or a number of tries of its own.
function _M.run(limited, timed)
  local retries, most
  if limited or timed then
    attempts.set_timeouts(limited)
  end
  if limited then
    retries = tonumber(ngx.var.route_retries)
  elseif timed then
    most = tonumber(ngx.var.route_tries)
    most = most and most > 0 and most
  end
  local id = ngx.var.s_to
  local upstream, endpoints = endpoints_of(id)
  if not upstream then
    ngx.log(ngx.ERR, "no endpoints for ", id)
    return ngx.exit(no_live_upstreams)
  end

  local tried, count, failed
  local has_failed = balancer.get_last_failure()
  if has_failed or retries then
    tried, count, failed = tries.made(ngx.var.upstream_addr, ngx.var.route_tried)
    if has_failed then
      ewma.note_failure(failed)
      local allowed = tries.allowed(ngx.var.http_x_sluice_hops)
      if retries then
        retries = min(retries, allowed - 1)
      elseif count >= allowed then
        return ngx.exit(no_live_upstreams)
      end
    end
  end
  local more
  if retries then
    more = attempts.may_fail(retries, count, has_failed)
    tried = failed and tried
  else
    more = not count or count + 1 < most_tries or count + 1 < min(#endpoints, most_tries_of_many)
    more = more and (not most or (count or 0) + 1 < most)
  end
  if more then
    -- nginx never makes more tries than proxy-next-upstream-tries allows, even if more are set
    -- here.
    balancer.set_more_tries(1)
  end

  local balance = upstream.balance
  local algorithm = balance and algorithms[balance.algorithm] or round_robin
  local peer = limited and backends.peer(upstream, tried)
    or algorithm.pick(upstream, tried, failed)
  set(peer)
end

-- Picks the endpoint for a request of Sluice's own: a copy, or a question to an auth service.
function _M.pick(id)
  local upstream = endpoints_of(id)
  if not upstream then
    return ngx.exit(no_live_upstreams)
  end
  local tried
  if balancer.get_last_failure() then
    tried = tries.made(ngx.var.upstream_addr)
  else
    balancer.set_more_tries(1)
  end
  set(round_robin.pick(upstream, tried))
end

return _M

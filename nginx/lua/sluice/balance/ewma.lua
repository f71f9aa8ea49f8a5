-- Of two endpoints drawn at random the one whose answers took less time lately (RS-9.9). Times are
-- shared by the workers: one entry per peer, whose value is the moving average in seconds and whose
-- flags say when it was noted. Entries may be evicted, which is no harm: a peer that nothing is
-- known of starts at the average of its fellows.
local tries = require("sluice.balance.tries")

local times = ngx.shared.sluice_times
local random = math.random
local exp = math.exp
local floor = math.floor
local min = math.min
local match = string.match

-- Seconds after which an average counts for a third.
local decay_seconds = 10
-- After ten such spans nothing is left of it.
local kept_seconds = 100

local _M = {}

-- Tenths of a second that fit into flags, which are a positive int; only differences are taken.
local ticks = 2147483648

local function tick()
  return floor(ngx.now() * 10) % ticks
end

local function share_left(noted)
  local seconds = (tick() - noted) % ticks / 10
  return exp(-seconds / decay_seconds)
end

-- The decayed average of a peer, or nil.
local function known_time(peer)
  local time, noted = times:get(peer)
  return time and time * share_left(noted or 0)
end

-- The average as it was noted last, or nil: between two requests it says how long answers took.
function _M.noted_time(peer)
  return (times:get(peer))
end

-- Of so many it is taken: a list may be long, and a request waits for it.
local most_averaged = 100

local function average_time(endpoints)
  local sum, count = 0, 0
  for at = 1, min(#endpoints, most_averaged) do
    local time = known_time(endpoints[at])
    if time then
      sum, count = sum + time, count + 1
    end
  end
  return count > 0 and sum / count or 0
end

local function note(peer, time)
  -- set, not safe_set: these entries may make room for each other
  times:set(peer, time, kept_seconds, tick())
end

local function time_of(peer, endpoints)
  local time = known_time(peer)
  if not time then
    time = average_time(endpoints)
    note(peer, time)
  end
  return time
end

function _M.pick(upstream, tried, failed)
  local all = upstream.endpoints
  if failed then
    -- an endpoint that fails does so fast, yet it counts as slower than its fellows
    note(failed, 2 * average_time(all) + 1)
  end
  local endpoints = tries.left(all, tried)
  local count = #endpoints
  if count == 1 then
    return endpoints[1]
  end
  local one = random(count)
  local other = random(count - 1)
  if other >= one then
    other = other + 1
  end
  if time_of(endpoints[other], all) < time_of(endpoints[one], all) then
    one = other
  end
  return endpoints[one]
end

-- Notes how long the peer took that answered this request, in the log phase.
function _M.learn()
  local var = ngx.var
  local peer = match(var.upstream_addr or "", "[^, ]+$")
  local connect = tonumber(match(var.upstream_connect_time or "", "[%d.]+$"))
  local response = tonumber(match(var.upstream_response_time or "", "[%d.]+$"))
  if not peer or not connect or not response then
    return
  end
  local time, noted = times:get(peer)
  local left = time and share_left(noted or 0) or 0
  note(peer, (time or 0) * left + (connect + response) * (1 - left))
end

return _M

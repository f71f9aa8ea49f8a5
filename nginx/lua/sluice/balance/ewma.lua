-- Draws two endpoints at random and takes the one that answered faster lately (RS-9.9). The workers
-- share the times: each peer has one entry, with the moving average in seconds and the time of its
-- last update. An entry may be evicted without harm: a peer without an entry starts at the average
-- of the others. The same memory has the failures of peers.
local body_text = require("sluice.gateway.body").text
local shares = require("sluice.shares")
local tries = require("sluice.balance.tries")

local times = ngx.shared.sluice_times

-- After this many seconds an average has about a third of its weight (1/e).
local decay_seconds = 10
-- An average that is ten times as old is dropped.
local kept_seconds = 100

local _M = {}

-- The most characters of an entry.
local longest = 32

local function share_left(noted)
  return math.exp(-math.max(0, ngx.now() - noted) / decay_seconds)
end

-- Returns the noted average of a peer, the time of its note, and the flags of the entry. All are
-- nil if there is none.
local function noted_of(peer)
  local entry, place = times:get(peer)
  if entry then
    local time, noted = entry:match("^(%S+) (%S+)$")
    return tonumber(time), tonumber(noted), place
  end
end

-- Returns the decayed average of a peer, or nil.
local function known_time(peer)
  local time, noted = noted_of(peer)
  return time and time * share_left(noted)
end

-- The average is taken over at most this many endpoints: a list may be long, and a request waits
-- for it.
local most_averaged = 100

local function average_time(endpoints)
  local sum, count = 0, 0
  for at = 1, math.min(#endpoints, most_averaged) do
    local time = known_time(endpoints[at])
    if time then
      sum, count = sum + time, count + 1
    end
  end
  return count > 0 and sum / count or 0
end

-- `place` has the flags of the peer's entry, if there is one.
local function note(peer, time, place)
  -- The id of an upstream begins with its namespace.
  place = place or shares.place(times, ngx.var.s_to:match("^[^/]*"), peer, longest)
  -- `set` and not `safe_set`, because these entries may replace each other if memory is full.
  times:set(peer, string.format("%.6f %.1f", time, ngx.now()), kept_seconds, place)
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
    -- An endpoint that fails often answers fast, so a failure counts as slower than the average of
    -- all.
    local _, _, place = noted_of(failed)
    note(failed, 2 * average_time(all) + 1, place)
  end
  local endpoints = tries.left(all, tried)
  local count = #endpoints
  if count == 1 then
    return endpoints[1]
  end
  local one = math.random(count)
  local other = math.random(count - 1)
  if other >= one then
    other = other + 1
  end
  if time_of(endpoints[other], all) < time_of(endpoints[one], all) then
    one = other
  end
  return endpoints[one]
end

-- Runs in the log phase: notes how long the peer took to answer this request.
function _M.learn()
  local var = ngx.var
  local peer = string.match(var.upstream_addr or "", "[^, ]+$")
  local connect = tonumber(string.match(var.upstream_connect_time or "", "[%d.]+$"))
  local response = tonumber(string.match(var.upstream_response_time or "", "[%d.]+$"))
  if not peer or not connect or not response then
    return
  end
  local time, noted, place = noted_of(peer)
  local left = time and share_left(noted) or 0
  note(peer, (time or 0) * left + (connect + response) * (1 - left), place)
end

-- Seconds from the first failure of a peer on, after which their count begins anew.
local failures_kept_seconds = 600

local function failures_of(peer)
  return "failed " .. peer
end

-- Counts, for each peer, the requests that went on to another try after it. The counts are only
-- reported; balancing does not use them. `peer` is nil if nginx names none.
function _M.note_failure(peer)
  local key = peer and failures_of(peer)
  if key and not times:incr(key, 1) then
    times:add(key, 1, failures_kept_seconds, shares.place(times, ngx.var.s_to:match("^[^/]*"), key, 8))
  end
end

function _M.failures(peer)
  return times:get(failures_of(peer)) or 0
end

-- The most peers of a report. A user views the endpoints of one route at a time.
local most_peers = 500

-- Reports on the peers in the lines of the body. The answer has a line for each: the moving average
-- of its times in seconds without decay, or a hyphen, and the number of its failures.
function _M.serve()
  ngx.req.read_body()
  local count = 0
  for peer in string.gmatch(body_text(), "[^\n]+") do
    count = count + 1
    if count > most_peers then
      return
    end
    ngx.say(noted_of(peer) or "-", " ", _M.failures(peer))
  end
end

return _M

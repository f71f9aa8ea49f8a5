-- Limits how often a client may send requests, as nginx's limit_req does with `nodelay`. Rates are
-- data of a route, so that a new rate needs no reload. `5s25 100m500` means 5 in a second with a
-- burst of 25, and 100 in a minute with a burst of 500.
local access = require("sluice.access")
local shares = require("sluice.shares")

local counts = ngx.shared.sluice_limits
local sleep = ngx.sleep

local _M = {}

-- nginx compares and counts under a lock, and so does this file: for each client, one worker at a
-- time has the lock, for some microseconds. The lock of a worker that has died ends after this
-- time.
local turn_seconds = 0.05
-- The number of attempts to get the lock before the worker serves other requests for a millisecond.
local looks = 200
-- The most milliseconds that a request waits, which is longer than any lock is held.
local most_waits = 1000

local function take_turn(name)
  for _ = 1, most_waits do
    for _ = 1, looks do
      local is_taken, problem = counts:add(name, true, turn_seconds)
      if is_taken or problem ~= "exists" then
        return
      end
    end
    sleep(0.001)
  end
end

-- The most characters of a count: two numbers of thousandths and milliseconds.
local longest = 24

-- Returns by how many requests the client exceeds the rate, with this request included, and the
-- flags of the count if there is one. The result and `per_second` are in thousandths, and times are
-- in milliseconds.
local function excess_of(name, per_second, now)
  local count, place = counts:get(name)
  local excess, last = string.match(count or "", "^(%d+) (%d+)$")
  if not excess then
    return 0
  end
  local passed = now - tonumber(last)
  if passed < -60000 then
    passed = 1
  end
  return math.max(0, tonumber(excess) - math.floor(per_second * math.max(0, passed) / 1000) + 1000), place
end

-- Checks a request against all rates. If it exceeds one, returns by how much, and that rate, such
-- as `5r/s`. Otherwise counts the request and returns nil.
local function judge(key, limits, now)
  local seen = {}
  for value, unit, burst in limits:gmatch("(%d+)(%a)(%d+)") do
    local per_second = math.floor(tonumber(value) * 1000 / (unit == "m" and 60 or 1))
    local name = value .. unit .. " " .. key
    local excess, place = excess_of(name, per_second, now)
    if excess > tonumber(burst) * 1000 then
      return excess, value .. "r/" .. unit
    end
    seen[#seen + 1] = { name, excess, per_second, place }
  end
  for _, one in ipairs(seen) do
    local name, excess, per_second = one[1], one[2], one[3]
    -- A key begins with the namespace.
    local place = one[4] or shares.place(counts, key:match("^[^/ ]*"), name, longest)
    -- A missing count means zero, so an entry may expire when its count has fallen to zero.
    counts:set(name, string.format("%d %d", excess, now), math.ceil((excess + 1000) / per_second) + 1, place)
  end
end

-- Runs at the end of the rewrite phase. As with nginx, a request counts once, even if it is
-- redirected inside nginx, and a request without a key does not count.
function _M.check(key, status)
  local var = ngx.var
  if var.route_limited == "1" then
    return
  end
  var.route_limited = "1"
  local spare = var.route_limits_spare
  if not key or key == "" or (spare and spare ~= "" and access.is_among(spare, var.binary_remote_addr or "")) then
    return
  end
  local turn = "turn " .. key
  take_turn(turn)
  local excess, rate = judge(key, var.route_limits, math.floor(ngx.now() * 1000 + 0.5))
  counts:delete(turn)
  if excess then
    ngx.log(ngx.ERR, string.format('limiting requests, excess: %.3f by zone "%s"', excess / 1000, rate))
    return ngx.exit(status)
  end
end

return _M

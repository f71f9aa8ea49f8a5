-- Counts, for each peer, the requests that went on to another try after it. The counts are only
-- reported; balancing does not use them. They share the memory of ewma.lua, whose keys are a peer
-- alone, and may be evicted like its entries.
local shares = require("sluice.shares")

local ngx = ngx
local times = ngx.shared.sluice_times

-- Seconds from the first failure on, after which the count begins anew.
local kept_seconds = 600

local _M = {}

local function key_of(peer)
  return "failed " .. peer
end

-- `peer` is nil if nginx names none.
function _M.note(peer)
  local key = peer and key_of(peer)
  if key and not times:incr(key, 1) then
    -- The id of an upstream begins with its namespace.
    local place = shares.place(times, string.match(ngx.var.s_to, "^[^/]*"), key, 8)
    times:add(key, 1, kept_seconds, place)
  end
end

function _M.of(peer)
  return times:get(key_of(peer)) or 0
end

return _M

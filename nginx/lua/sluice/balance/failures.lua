-- Counts, for each peer, the requests that went on to another try after it. The counts are only
-- reported; balancing does not use them. They share the memory of ewma.lua, whose keys are a peer
-- alone, and may be evicted like its entries.
local times = ngx.shared.sluice_times

-- Seconds from the first failure on, after which the count begins anew.
local kept_seconds = 600

local _M = {}

local function key_of(peer)
  return "failed " .. peer
end

-- `peer` is nil if nginx names none.
function _M.note(peer)
  if peer then
    times:incr(key_of(peer), 1, 0, kept_seconds)
  end
end

function _M.of(peer)
  return times:get(key_of(peer)) or 0
end

return _M

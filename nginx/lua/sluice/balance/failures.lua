-- Counts by peer the requests that went on to another try after it. The counts are for people; no
-- peer is picked or left out for them. They share the memory of ewma.lua, whose entries are keyed
-- with a peer alone, and may be evicted like those.
local times = ngx.shared.sluice_times

-- From the first failure on; the count then begins anew.
local kept_seconds = 600

local _M = {}

local function key_of(peer)
  return "failed " .. peer
end

-- `peer` may be nil, where nginx names none.
function _M.note(peer)
  if peer then
    times:incr(key_of(peer), 1, 0, kept_seconds)
  end
end

function _M.of(peer)
  return times:get(key_of(peer)) or 0
end

return _M

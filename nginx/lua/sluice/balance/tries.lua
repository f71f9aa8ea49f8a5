-- Which peers a request has tried already. nginx keeps them in $upstream_addr, so a request that
-- needs no retry pays nothing.
local gmatch = string.gmatch

local _M = {}

-- From "192.0.2.1:80, [2001:db8::1]:80" to the set of them, their number and the last one. The
-- names are as nginx writes addresses, which is how records have them.
function _M.made(addresses)
  local tried, count, last = {}, 0, nil
  for peer in gmatch(addresses or "", "[^, ]+") do
    -- a colon of its own parts the peers before and after an internal redirect
    if peer ~= ":" then
      tried[peer] = true
      last = peer
      count = count + 1
    end
  end
  return tried, count, last
end

-- The endpoints that are not tried; all of them when none is left.
function _M.left(endpoints, tried)
  if not tried then
    return endpoints
  end
  local left = {}
  for _, endpoint in ipairs(endpoints) do
    if not tried[endpoint] then
      left[#left + 1] = endpoint
    end
  end
  return #left > 0 and left or endpoints
end

-- The same as the set of their places in the list.
function _M.indices(endpoints, tried)
  local indices = {}
  for index, endpoint in ipairs(endpoints) do
    indices[index] = tried[endpoint]
  end
  return indices
end

return _M

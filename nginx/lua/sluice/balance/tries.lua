-- Finds the peers that a request has tried already. nginx lists them in $upstream_addr, so this
-- costs nothing for a request without a retry.
local huge = math.huge

local _M = {}

-- Reads "192.0.2.1:80, [2001:db8::1]:80" and returns the set of peers, their number and the last
-- one. nginx and the records write addresses in the same form. `earlier` is the part of another
-- location, which the request has left by an internal redirect.
function _M.made(addresses, earlier)
  local tried, count, last = {}, 0, nil
  for peer in string.gmatch(string.sub(addresses or "", #(earlier or "") + 1), "[^, ]+") do
    -- A colon alone stands between two answers of one request.
    if peer ~= ":" then
      tried[peer] = true
      last = peer
      count = count + 1
    end
  end
  return tried, count, last
end

-- Returns how many tries a request with this list of hops may have (src/core/tokens/hops.ts). If
-- each location repeated a request that goes through several, the tries would multiply. Two hops
-- has also a request from a proxy in front that sets the same headers.
function _M.allowed(trail)
  local _, hops = string.gsub(trail or "", "[,-]", "")
  return hops == 0 and huge or hops <= 2 and 3 or 1
end

-- Returns the endpoints that were not tried; all of them when every one was.
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

-- Returns the tried endpoints as a set of their indices in the list.
function _M.indices(endpoints, tried)
  local indices = {}
  for index, endpoint in ipairs(endpoints) do
    indices[index] = tried[endpoint]
  end
  return indices
end

return _M

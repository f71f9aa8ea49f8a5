-- Finds the scope of a connection and the listener of a host. A scope is all listeners of one
-- Gateway on one port; requests of one scope never reach the hosts of another.
local store = require("sluice.store")

local find = string.find
local sub = string.sub

local _M = {}

-- The name of a scope's record, by port.
local names = setmetatable({}, {
  __index = function(all, port)
    local name = ":" .. port
    all[port] = name
    return name
  end,
})

-- Returns the record of the port that nginx accepted the connection on. Most ports have one scope
-- for all addresses; `address` is called only if a port has more.
function _M.of(port, address, generation)
  local scope = store.get("scope", names[port], generation)
  if scope and scope.addresses then
    local own = store.get("scope", address() .. ":" .. port, generation)
    return own or (scope.port and scope)
  end
  return scope
end

-- Returns the listener with the most specific hostname that takes the host: the hostname itself,
-- then the longest wildcard, which stands for one or more labels, then the listener for all hosts.
-- The second result is the part of the host that the hostname names: the whole host, or
-- `.example.com` for a wildcard. It is nil for the listener for all hosts.
function _M.listener(scope, host)
  local exact = scope.exact
  local listener = exact and exact[host]
  if listener then
    return listener, host
  end
  local wildcard = scope.wildcard
  if wildcard then
    local dot = find(host, ".", 2, true)
    while dot do
      local above = sub(host, dot)
      listener = wildcard[above]
      if listener then
        return listener, above
      end
      dot = find(host, ".", dot + 1, true)
    end
  end
  return scope.any
end

return _M

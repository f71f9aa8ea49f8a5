-- Whose port a connection came in by, and which of its listeners takes a host. A scope is all that
-- listens on one port of one Gateway; requests of one scope never meet the hosts of another one.
local store = require("sluice.store")

local find = string.find
local sub = string.sub

local _M = {}

-- Of the records, by port.
local names = setmetatable({}, {
  __index = function(all, port)
    local name = ":" .. port
    all[port] = name
    return name
  end,
})

-- The record of the port that nginx accepted the connection on. Most ports have one scope, whatever
-- the address; `address` is asked for where they have more.
function _M.of(port, address, generation)
  local scope = store.get("scope", names[port], generation)
  if scope and scope.addresses then
    local own = store.get("scope", address() .. ":" .. port, generation)
    return own or (scope.port and scope)
  end
  return scope
end

-- The listener with the most specific hostname that takes the host: the hostname itself, then the
-- longest wildcard, which stands for one label or more, then the listener of all hosts. The second
-- value is the part of the host that its hostname names: all of it, or `.example.com` for a
-- wildcard. It is nil for the listener of all hosts.
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

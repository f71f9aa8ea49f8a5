-- Finds a host by an alias that is a wildcard or a pattern: first the longest wildcard at the
-- front, then the longest at the end, then regular expressions in the order of their hosts. A host
-- such as `*.example.com` has a place in that order, too.
local regex = require("sluice.regex")

local _M = {}

-- `wildcard` is the host with a wildcard that takes the name, if there is one. Returns the host
-- whose alias comes before it, and whether TLS is configured for the name. Returns false if a
-- pattern ran out of steps, because the next host may have fewer guards.
function _M.match(list, name, wildcard)
  local dot = name:find(".", 1, true)
  local first = dot
  while dot do
    local found = list.leading[name:sub(dot)]
    if found then
      return found[1], dot == first and found[2] == 1
    end
    dot = name:find(".", dot + 1, true)
  end

  local at = #name
  while at > 0 do
    if name:sub(at, at) == "." then
      local found = list.trailing[name:sub(1, at)]
      if found then
        return found, false
      end
    end
    at = at - 1
  end

  for _, entry in ipairs(list.regex) do
    if wildcard and wildcard < entry[2] then
      return nil
    end
    local takes = regex.takes(regex.anywhere_in_any_case, name, entry[1])
    if takes then
      return entry[2], false
    elseif takes == nil then
      return false
    end
  end
end

return _M

-- Whether a request names two hosts (RFC 9112 3.2.2). nginx routes by $host: the request line's,
-- else the Host header's, in lower case, without its port and a dot at its end. Backends, auth
-- services and redirects hear the header as it came. Only a header that is not the same text as
-- $host comes here.
local ngx = ngx
local find = string.find
local gsub = string.gsub
local lower = string.lower
local match = string.match

local _M = {}

-- The host of an authority, as nginx has it, and the port with its colon; nil where what follows
-- the host is no port.
local function parts(authority)
  local name, port = match(lower(authority), "^(%[[%x:.]+%])(.*)$")
  if not name then
    name, port = match(lower(authority), "^([^:]*)(.*)$")
  end
  if port ~= "" and not (#port <= 6 and find(port, "^:%d*$")) then
    return nil
  end
  return gsub(name, "%.$", ""), port
end

-- `asked` is the Host header; without one, or with an empty one, there is only one host.
function _M.differ(host, asked)
  if not asked or asked == "" then
    return false
  end
  local name, port = parts(asked)
  if name ~= host then
    return true
  end
  local target = match(ngx.var.request or "", "^%S+ %a[%w+.-]*://([^/?# ]*)")
  if not target then
    return false
  end
  local _, own = parts(target)
  return own == nil or (#own > 1 and #port > 1 and own ~= port)
end

return _M

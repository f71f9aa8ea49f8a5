-- Checks the hosts of requests, for all routers. A request that names two hosts (RFC 9112 3.2.2),
-- or a text that can be no host, is refused. nginx routes by $host, which comes from the request
-- line, or else from the Host header, in lower case and without the port and the dot at its end.
-- Backends, auth services and redirects get the header as the client sent it.
local used = require("sluice.route.variables").used

local find = string.find
local gsub = string.gsub
local lower = string.lower
local match = string.match
local sub = string.sub

local _M = {}

-- The most characters of a name in DNS.
local longest = 253

-- Hosts that passed the check. The check is a pattern of Lua, which LuaJIT does not compile.
local passed, count = {}, 0
local most = 4000

-- Returns whether a text can be a host at all: it is no longer than a name in DNS, and has no
-- character that RFC 3986 3.2.2 does not allow. Without the check, a "?" would end the host of a
-- redirect too early behind a wildcard, and each label of a long text would be a lookup.
function _M.is_host(text)
  if passed[text] then
    return true
  elseif #text > longest or not (find(text, "^[%w_.~!$&'()*+,;=%%-]+$") or find(text, "^%[[%x:.]+%]$")) then
    return false
  end
  if count == most then
    passed, count = {}, 0
  end
  passed[text] = true
  count = count + 1
  return true
end

-- Returns the host of an authority, as nginx normalizes it, and the port with its colon. Returns
-- nil if the text behind the host is no port.
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

-- Returns whether the two differ. `asked` is the Host header.
local function differ(host, asked, var)
  local name, port = parts(asked)
  if name ~= host then
    return true
  end
  local target = match(var.request or "", "^%S+ %a[%w+.-]*://([^/?# ]*)")
  if not target then
    return false
  end
  local _, own = parts(target)
  return own == nil or (#own > 1 and #port > 1 and own ~= port)
end

-- Returns the host of the request, or nil if it names two. A request without the Host header, as
-- in HTTP/1.0, names only one, and this sets the host that its backend gets.
function _M.of(var)
  local host, asked = var.host, var.http_host
  if not asked or asked == "" then
    if used.s_host then
      var.s_host = host
    end
  elseif asked ~= host and differ(host, asked, var) then
    return nil
  end
  return host
end

-- Adds the Host header to requests over HTTP/3. They have :authority in its place, and nginx makes
-- no $http_host from it. With the header, snippets, auth services and redirects find the host of
-- the request. Nothing may read $http_host before, because nginx would keep the variable empty.
function _M.name_of_http3()
  local var = ngx.var
  if var.http3 ~= "" then
    ngx.req.set_header("Host", var.host)
  end
end

-- Returns the next wider name that takes a host of this name: the wildcard one label above, then
-- `_` for all hosts.
function _M.wider(name)
  local dot = find(name, ".", find(name, "*.", 1, true) == 1 and 3 or 2, true)
  return dot and "*" .. sub(name, dot) or name ~= "_" and "_" or nil
end

return _M

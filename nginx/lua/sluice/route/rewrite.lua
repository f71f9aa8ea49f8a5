-- Rewrites a path that a pattern took: for the backend, or as a redirect (RS-6).
local regex = require("sluice.regex")

local _M = {}

local slash = string.byte("/")

-- Returns the path and query of the request as the client sent them, which the backend gets. After
-- a host without a path, as in `GET http://shop.example?page=1`, nginx leaves out the slash in
-- $request_uri alone.
function _M.origin_form(var)
  local raw = var.request_uri
  if raw:byte() == slash then
    return raw
  end
  local query = raw:match("^%?([^#]+)")
  return query and "/?" .. query or "/"
end

-- Returns the path and query that the backend gets if they are no longer those of the client.
function _M.current(var)
  return ngx.escape_uri(var.uri, 0) .. (var.is_args or "") .. (var.args or "")
end

local function percent(char)
  return string.format("%%%02X", char:byte())
end

-- Returns the text with its characters that match `escaped` (a Lua pattern) written as %XX.
function _M.escape(text, escaped)
  return (text:gsub(escaped, percent))
end

-- Fills in a replacement: $1 to $9 are the groups of the path, ${name} is a variable, and $$ is the
-- sign itself. A group that took no part is empty. Groups are parts of the decoded path, so
-- characters in them that match `escaped` (a Lua pattern) are written as %XX.
function _M.expand(template, groups, escaped)
  return (ngx.re.gsub(template, [[\$(?:(\d)|\{(\w+)\}|\$)]], function(m)
    if m[1] then
      local group = groups[tonumber(m[1])] or ""
      return escaped and _M.escape(group, escaped) or group
    end
    if m[2] == "request_uri" then
      return _M.origin_form(ngx.var)
    end
    return m[2] and (ngx.var[m[2]] or "") or "$"
  end, "jo"))
end

-- Escapes a part of the decoded path for a header.
function _M.harmless(text)
  return text:find("%c") and _M.escape(text, "%c") or text
end

-- A rewrite with one of these beginnings is a redirect (RS-6.9).
local function is_elsewhere(target)
  return target:find("^https?://") or target:find("${scheme}", 1, true) == 1
end

function _M.run(location, route, groups, uri)
  local var = ngx.var
  local target, prefix = route and route[3], route and route[4]
  if target and is_elsewhere(target) then
    -- nginx does the same: escapes of the client stay.
    local escaped = var.request_uri:find("%", 1, true) and "[%c #%%&+?\127-\255]" or "%c"
    var.route_elsewhere = _M.expand(target, groups, escaped) .. (var.is_args or "") .. (var.args or "")
  elseif target then
    if prefix then
      var.route_prefix = _M.expand(prefix, groups, "%c")
    end
    if location.rewritesLate == 2 then
      var.route_rewritten = "\0" .. route[1] .. "\0" .. target
      return
    end
    local rewritten = _M.expand(target, groups)
    if location.rewritesLate then
      var.route_rewritten = rewritten
    else
      -- The path may hold any byte, because nginx escapes it towards the backend.
      ngx.req.set_uri(rewritten, false, true)
    end
  elseif location.rewritesLate then
    var.route_rewritten = uri
  end
end

-- Returns the path after the rewrite of a location whose snippet has changed the path before. The
-- router left the pattern and the target in the variable. Without them the path stays as it is now.
function _M.again()
  local var = ngx.var
  local uri = var.uri
  local pattern, target = var.route_rewritten:match("^%z([^%z]*)%z(.*)$")
  regex.begin(regex.most / 4)
  local groups = pattern and regex.groups(regex.beginning, uri, pattern)
  return groups and _M.expand(target, groups) or uri
end

return _M

-- CORS: which origins may read an answer, and the headers that say so.
--
-- Annotations and routes share the matching of origins. Headers of annotations are text, because
-- the snippets of their authors may change them; Lua only gives the origin. Headers of a route are
-- data, so a change needs no reload.
local headers = require("sluice.headers")
local regex = require("sluice.regex")

local _M = {}

-- Returns whether the pattern, which translation made from origins, takes the origin.
local function takes(origin, pattern)
  -- The budget of the request served its routing, and the answer arrives later.
  regex.begin(regex.most / 16)
  return regex.takes(regex.beginning, origin, pattern) == true
end

-- Returns the origin that the answer names, for annotations. The result is empty if the request's
-- origin is not allowed. The list is `*` or a pattern.
function _M.origin()
  local var = ngx.var
  local allowed = var.route_cors_origins
  if allowed == "*" then
    return allowed
  end
  local origin = var.http_origin
  return origin and takes(origin, allowed) and origin or ""
end

-- Returns whether the request is a preflight, which a route with the filter never sends to a
-- backend.
function _M.is_preflight(var)
  return var.request_method == "OPTIONS"
    and var.http_origin ~= nil
    and var.http_access_control_request_method ~= nil
end

local function is_allowed(cors, origin)
  if cors.any then
    return true
  end
  local text = origin:lower()
  text = text:gsub("^(http://.*):80$", "%1")
  text = text:gsub("^(https://.*):443$", "%1")
  if cors.origins and cors.origins[text] then
    return true
  end
  return cors.pattern ~= nil and takes(text, cors.pattern)
end

-- Returns the list. If it is `*` and cookies may be sent, returns the names that the browser
-- requested: with cookies a browser reads `*` as a plain name.
local function listed(list, credentials, asked)
  if list == "*" and credentials then
    return asked
  end
  return list
end

-- Sets the headers of a route's answer, in place of those of the backend.
function _M.answer(cors)
  local var, header = ngx.var, ngx.header
  local origin = var.http_origin
  local everywhere = cors.any and not cors.credentials
  if not everywhere then
    local vary = headers.joined(header["Vary"])
    if not vary then
      header["Vary"] = "Origin"
    elseif not string.find(vary:lower(), "origin", 1, true) then
      header["Vary"] = vary .. ", Origin"
    end
  end
  if not origin or not is_allowed(cors, origin) then
    return
  end
  header["Access-Control-Allow-Origin"] = everywhere and "*" or origin
  header["Access-Control-Allow-Credentials"] = cors.credentials and "true" or nil
  header["Access-Control-Expose-Headers"] = cors.expose
  if var.route_answer ~= "204" then
    return
  end
  header["Access-Control-Allow-Methods"] =
    listed(cors.methods, cors.credentials, var.http_access_control_request_method)
  header["Access-Control-Allow-Headers"] =
    listed(cors.headers, cors.credentials, var.http_access_control_request_headers)
  header["Access-Control-Max-Age"] = cors.maxAge
end

return _M

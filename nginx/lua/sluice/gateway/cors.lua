-- Sets the headers of CORS, which name the other origins whose pages may read an answer.
local regex = require("sluice.regex")

local ngx = ngx
local find = string.find
local gsub = string.gsub
local lower = string.lower

local _M = {}

local function is_allowed(cors, origin)
  if cors.any then
    return true
  end
  local text = lower(origin)
  text = gsub(text, "^(http://.*):80$", "%1")
  text = gsub(text, "^(https://.*):443$", "%1")
  if cors.origins and cors.origins[text] then
    return true
  end
  if not cors.pattern then
    return false
  end
  -- The budget of the request served its routing, and the answer arrives later.
  regex.begin(regex.most / 16)
  return regex.takes(regex.whole, text, cors.pattern) == true
end

-- Returns the list. If it is `*` and cookies may be sent, returns the names that the browser
-- requested: with cookies a browser reads `*` as a plain name.
local function listed(list, credentials, asked)
  if list == "*" and credentials then
    return asked
  end
  return list
end

-- Sets the headers of the answer, in place of those of the backend.
function _M.answer(cors)
  local var, header = ngx.var, ngx.header
  local origin = var.http_origin
  local everywhere = cors.any and not cors.credentials
  if not everywhere then
    local vary = header["Vary"]
    vary = type(vary) == "table" and table.concat(vary, ", ") or vary
    if not vary then
      header["Vary"] = "Origin"
    elseif not find(lower(vary), "origin", 1, true) then
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

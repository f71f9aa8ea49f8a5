-- Passes on the headers that an auth service sends beside its status. nginx's own variables hold
-- only one header of a name, so a second cookie or group would be lost, or (from 1.23) be joined
-- with the first.
local client_headers = require("sluice.client_headers")
local underscores = require("sluice.underscores")

local ngx = ngx
local type = type
local concat = table.concat
local gmatch = string.gmatch
local lower = string.lower

local _M = {}

-- Cookies of the auth service reach the client with these statuses only, unless the route has
-- auth-always-set-cookie. They are the statuses of nginx's add_header.
local with_cookies = {
  [200] = true, [201] = true, [204] = true, [206] = true, [301] = true, [302] = true, [303] = true, [304] = true,
  [307] = true, [308] = true,
}

-- Returns a line `Name: value` for each name in the list whose header the answer has.
local function found_in(headers, names)
  if not names or names == "" then
    return ""
  end
  local lines = {}
  for name in gmatch(names, "%S+") do
    local value = headers[lower(name)]
    if value then
      lines[#lines + 1] = name .. ": " .. (type(value) == "table" and concat(value, ", ") or value)
    end
  end
  return concat(lines, "\n")
end

-- Runs in the location of the auth request. It keeps headers of the answer in variables, which the
-- client's request shares. No header holds a line break, so a line break separates cookies.
function _M.answered(wanted, only_200)
  local var = ngx.var
  local headers = ngx.resp.get_headers(0)
  local cookies = headers["set-cookie"]
  if cookies then
    var.auth_cookies = type(cookies) == "table" and concat(cookies, "\n") or cookies
  end
  for name, header in pairs(wanted) do
    local value = headers[header]
    if value then
      var[name] = type(value) == "table" and concat(value, ", ") or value
    end
  end
  var.route_auth_found = found_in(headers, var.route_auth_passed)
  if only_200 and ngx.status > 200 and ngx.status < 300 then
    ngx.status = 500
  end
end

-- Runs in the location of the client's request, at the end of the access phase. The backend gets
-- the headers of the answer that the route names, and no header of the client with one of these
-- names.
function _M.pass_headers()
  local var = ngx.var
  local names = var.route_auth_passed
  if not names or names == "" then
    return
  end
  client_headers.keep()
  local values = {}
  for name, value in gmatch(var.route_auth_found or "", "([^:\n]+): ([^\n]*)") do
    values[name] = value
  end
  local passed = {}
  for name in gmatch(names, "%S+") do
    local value = values[name]
    ngx.req.set_header(name, value ~= "" and value or nil)
    passed[lower(name)] = true
  end
  underscores.clear(passed)
end

-- Runs in the location of the client's request: adds the cookies to those of the backend.
function _M.pass_cookies()
  local var = ngx.var
  local cookies = var.auth_cookies
  if not cookies or cookies == "" or not (with_cookies[ngx.status] or var.route_auth_cookies_always == "1") then
    return
  end
  local own = ngx.header["Set-Cookie"]
  local all = type(own) == "table" and own or { own }
  for cookie in cookies:gmatch("[^\n]+") do
    all[#all + 1] = cookie
  end
  ngx.header["Set-Cookie"] = all
end

return _M

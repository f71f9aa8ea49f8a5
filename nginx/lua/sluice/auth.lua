-- Passes on the headers that an auth service sends beside its status. nginx's own variables hold
-- only one header of a name, so a second cookie or group would be lost, or (from 1.23) be joined
-- with the first.
local headers = require("sluice.headers")
local traces = require("sluice.route.traces")

local _M = {}

-- Cookies of the auth service reach the client with these statuses only, unless the route has
-- auth-always-set-cookie. They are the statuses of nginx's add_header.
local with_cookies = {
  [200] = true, [201] = true, [204] = true, [206] = true, [301] = true, [302] = true, [303] = true, [304] = true,
  [307] = true, [308] = true,
}

-- Returns a line `Name: value` for each name in the list whose header the answer has.
local function found_in(answered, names)
  if not names or names == "" then
    return ""
  end
  local lines = {}
  for name in names:gmatch("%S+") do
    local value = answered[name:lower()]
    if value then
      lines[#lines + 1] = name .. ": " .. headers.joined(value)
    end
  end
  return table.concat(lines, "\n")
end

-- Runs in the location of the auth request. It keeps headers of the answer in variables, which the
-- client's request shares. No header holds a line break, so a line break separates cookies.
function _M.answered(wanted, only_200)
  local var = ngx.var
  local answered = ngx.resp.get_headers(0)
  local cookies = answered["set-cookie"]
  if cookies then
    var.auth_cookies = type(cookies) == "table" and table.concat(cookies, "\n") or cookies
  end
  for name, header in pairs(wanted) do
    local value = answered[header]
    if value then
      var[name] = headers.joined(value)
    end
  end
  var.route_auth_found = found_in(answered, var.route_auth_passed)
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
  traces.keep()
  local values = {}
  for name, value in string.gmatch(var.route_auth_found or "", "([^:\n]+): ([^\n]*)") do
    values[name] = value
  end
  local passed = {}
  for name in names:gmatch("%S+") do
    local value = values[name]
    ngx.req.set_header(name, value ~= "" and value or nil)
    passed[name:lower()] = true
  end
  headers.clear_spellings(passed)
end

-- Runs in the location of the client's request: adds the cookies to those of the backend.
function _M.pass_cookies()
  local var = ngx.var
  local cookies = var.auth_cookies
  if not cookies or cookies == "" or not (with_cookies[ngx.status] or var.route_auth_cookies_always == "1") then
    return
  end
  local all = ngx.header["Set-Cookie"]
  for cookie in cookies:gmatch("[^\n]+") do
    all = headers.with(all, cookie)
  end
  ngx.header["Set-Cookie"] = all
end

return _M

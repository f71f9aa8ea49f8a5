-- Sends the auth request of a rule (ExternalAuth). It is a subrequest, which shares the variables
-- of the client's request. Only an answer of 200 lets the request pass; headers of that answer go
-- to the backend.
local bodies = require("sluice.gateway.body")
local headers = require("sluice.headers")
local rewrite = require("sluice.route.rewrite")

local _M = {}

-- Headers that describe the answer itself, so they are not passed on with the request.
local of_answers = {
  ["cache-control"] = true, ["date"] = true, ["etag"] = true, ["expires"] = true, ["last-modified"] = true,
  ["server"] = true, ["set-cookie"] = true, ["vary"] = true, ["accept-ranges"] = true, ["age"] = true,
}

local redirects = { [301] = true, [302] = true, [303] = true, [307] = true, [308] = true }

-- Runs before the request jumps to its location.
function _M.prepare(question)
  local var = ngx.var
  var.route_auth_upstream = question.upstream
  var.route_auth_limit = question.body
  -- After an internal redirect the backend gets another path than that of the client.
  local asked = ngx.req.is_internal() and rewrite.current(var) or rewrite.origin_form(var)
  var.route_auth_uri = question.path .. rewrite.escape(asked, "[%c ]")
end

-- Runs in the rewrite phase of the location, where the body can be read and copied for the auth
-- service.
function _M.take_body(namespace)
  local var = ngx.var
  local body, status = bodies.asked(var, namespace, tonumber(var.route_auth_limit) or 0)
  if not body then
    return ngx.exit(status)
  elseif body == "" and not var.content_length and bodies.may_be_unseen(var) then
    -- The backend must not get a body that the auth service has not seen.
    ngx.req.discard_body()
  end
  var.route_auth_body = body
end

-- Returns whether the header may go to the backend. If the rule lists no headers, all that
-- describe the request may.
local function may_go_on(name, listed)
  local plain = headers.plain(name)
  if headers.is_reserved(name) then
    return false
  elseif listed then
    return listed[name:lower()] ~= nil
  end
  return not of_answers[plain] and plain:sub(1, 8) ~= "content-"
end

-- Runs in the location of the subrequest. nginx knows three results: 2xx, 401 and 403; any other
-- status is a failure. A redirect to a login page becomes a 401, which the location of the request
-- turns into the redirect again.
function _M.answered(listed)
  local var, status = ngx.var, ngx.status
  if status == 200 then
    local lines = {}
    for name, values in pairs(ngx.resp.get_headers(0, true)) do
      if may_go_on(name, listed) then
        for _, value in ipairs(type(values) == "table" and values or { values }) do
          lines[#lines + 1] = name .. ":" .. value
        end
      end
    end
    var.route_auth_answer = table.concat(lines, "\n")
  elseif redirects[status] and ngx.header["Location"] then
    var.route_auth_status = status
    var.route_auth_location = ngx.header["Location"]
    ngx.status = 401
  elseif status ~= 401 and status < 500 then
    ngx.status = 403
  end
end

-- Passes headers of the auth service on to the backend. A header that the rule lists comes from the
-- auth service alone, never from the client.
function _M.hand_on(listed)
  local req = ngx.req
  for name in pairs(listed or {}) do
    req.clear_header(name)
  end
  local all = {}
  for line in string.gmatch(ngx.var.route_auth_answer or "", "[^\n]+") do
    local colon = line:find(":", 1, true)
    local name = line:sub(1, colon - 1)
    all[name] = headers.with(all[name], line:sub(colon + 1))
  end
  local given = {}
  for name, values in pairs(all) do
    req.set_header(name, values)
    given[name:lower()] = true
  end
  for name in pairs(listed or {}) do
    given[name:lower()] = true
  end
  headers.clear_spellings(given)
end

return _M

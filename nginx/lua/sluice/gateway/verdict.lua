-- Applies the verdict of an auth service over gRPC (check.lua) to the request and to its answer.
local cjson = require("cjson.safe")
local headers = require("sluice.headers")

local _M = {}

-- Runs in the location of the auth request: keeps the verdict in a variable, which the client's
-- request shares.
function _M.answered()
  local status = ngx.status
  local text = ngx.decode_base64(ngx.header["X-Sluice-Verdict"] or "")
  if text and text ~= "" and (status == 200 or status == 401) then
    ngx.var.route_auth_answer = text
  else
    ngx.status = 500
  end
end

local function read_verdict()
  return cjson.decode(ngx.var.route_auth_answer or "") or {}
end

-- Returns the values that a header has after a change `{ name, value, how }`, or nil if it stays
-- unchanged. ext_authz.lua has the meaning of `how`.
local function changed(current, change)
  local value, how = change[2], change[3]
  if how == 0 and current ~= nil then
    return headers.with(current, value)
  elseif how == 1 and current ~= nil or how == 3 and current == nil then
    return nil
  end
  return value
end

local function change_query(query, unquery)
  if #query == 0 and not unquery then
    return
  end
  local args = ngx.req.get_uri_args(0)
  for _, pair in ipairs(query) do
    args[pair[1]] = pair[2]
  end
  for _, name in ipairs(unquery or {}) do
    args[name] = nil
  end
  ngx.req.set_uri_args(args)
end

-- Changes the request on its way to the backend.
function _M.hand_on()
  local req, verdict = ngx.req, read_verdict()
  local given = {}
  for _, name in ipairs(verdict.remove or {}) do
    req.clear_header(name)
    given[name:lower()] = true
  end
  for _, change in ipairs(verdict.requests or {}) do
    local values = changed(req.get_headers(0)[change[1]], change)
    if values then
      req.set_header(change[1], values)
    end
    given[change[1]:lower()] = true
  end
  headers.clear_spellings(given)
  change_query(verdict.query or {}, verdict.unquery)
end

local function change_answer(changes)
  local header = ngx.header
  for _, change in ipairs(changes or {}) do
    local values = changed(header[change[1]], change)
    if values then
      header[change[1]] = values
    end
  end
end

-- Changes the answer of the backend.
function _M.answers()
  local verdict = read_verdict()
  if not verdict.refused then
    change_answer(verdict.answers)
  end
end

-- Answers a request that may not pass.
function _M.refuse()
  local verdict = read_verdict()
  ngx.status = verdict.refused or 403
  change_answer(verdict.answers)
  if verdict.body ~= "" and not ngx.header["Content-Type"] then
    ngx.header["Content-Type"] = "text/plain"
  end
  ngx.print(verdict.body or "")
end

return _M

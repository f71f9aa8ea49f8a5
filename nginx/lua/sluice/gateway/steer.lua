-- Changes headers of a request on its way to the backend, and headers of the answer. The changes
-- travel with the request as text.
local auth = require("sluice.gateway.auth")
local backends = require("sluice.gateway.backends")
local cjson = require("cjson.safe")
local cors = require("sluice.policies.cors")
local mirror = require("sluice.gateway.mirror")
local headers = require("sluice.headers")
local traces = require("sluice.route.traces")
local verdict = require("sluice.gateway.verdict")

local _M = {}

-- Parsed texts. They are dropped when there are many, because a changed route leaves its old text
-- behind.
local known, count = {}, 0
local most_known = 2000

local function steering()
  local text = ngx.var.route_steering
  if not text or text == "" then
    return nil
  end
  local steering = known[text]
  if not steering then
    if count >= most_known then
      known, count = {}, 0
    end
    steering = cjson.decode(text) or {}
    known[text] = steering
    count = count + 1
  end
  return steering
end

local function change_request(changes)
  local req, replaced = ngx.req, {}
  for _, one in ipairs(changes.set or {}) do
    req.set_header(one[1], one[2])
    replaced[one[1]:lower()] = true
  end
  for _, one in ipairs(changes.add or {}) do
    req.set_header(one[1], headers.with(req.get_headers(0)[one[1]:lower()], one[2]))
  end
  for _, name in ipairs(changes.remove or {}) do
    req.clear_header(name)
    replaced[name:lower()] = true
  end
  headers.clear_spellings(replaced)
end

local function change_answer(changes)
  local header = ngx.header
  for _, one in ipairs(changes.set or {}) do
    header[one[1]] = one[2]
  end
  for _, one in ipairs(changes.add or {}) do
    header[one[1]] = headers.with(header[one[1]], one[2])
  end
  for _, name in ipairs(changes.remove or {}) do
    header[name] = nil
  end
end

-- Runs after all guards have let the request pass.
function _M.requests()
  local steering = steering()
  if not steering then
    return
  end
  if steering.auth or steering.requests then
    traces.keep()
  end
  if steering.auth and steering.auth.grpc then
    verdict.hand_on()
  elseif steering.auth then
    auth.hand_on(steering.auth.headers)
  end
  for _, changes in ipairs(steering.requests or {}) do
    change_request(changes)
  end
  if steering.mirrors then
    mirror.copy(steering.mirrors)
  end
end

-- Runs when a call is over.
function _M.over()
  local steering = steering()
  if steering and steering.late then
    mirror.copy_late(steering.late)
  end
end

-- Runs in the location of the subrequest to an auth service.
function _M.answered()
  local steering = steering()
  if steering and steering.auth and steering.auth.grpc then
    verdict.answered()
  elseif steering and steering.auth then
    auth.answered(steering.auth.headers)
  else
    ngx.status = 403
  end
end

function _M.answers()
  local steering = steering()
  if not steering then
    return
  end
  if steering.cors then
    cors.answer(steering.cors)
  end
  if steering.auth and steering.auth.grpc then
    verdict.answers()
  end
  if steering.session then
    backends.answer(steering.session)
  end
  for _, changes in ipairs(steering.answers or {}) do
    change_answer(changes)
  end
end

return _M

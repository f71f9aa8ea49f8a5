-- Calls an auth service over gRPC, by Envoy's protocol ext_authz. nginx cannot read the body of an
-- answer to auth_request, nor capture a subrequest for a client of HTTP/2. So auth_request sends
-- its subrequest through a socket to a server of nginx itself. That server calls the service over
-- gRPC, and answers like an auth service over HTTP: with a status, and with the message of the
-- service in a header.
local cjson = require("cjson.safe")
local protobuf = require("sluice.gateway.protobuf")
local verdicts = require("sluice.gateway.ext_authz")

local bytes = protobuf.bytes
local floor = math.floor
local number = protobuf.number

local _M = {}

-- Headers that the question uses for itself or for its connection. Headers of the request with
-- these names are left out.
local own = {
  ["x-sluice-check"] = true, ["x-sluice-hops"] = true, ["connection"] = true, ["content-length"] = true, ["host"] = true,
}

-- The path of a question begins with this text (src/core/render/gateway/route-auth.ts).
local question = "/question"

-- The largest answer that is passed on, because it has to fit into a header.
local most_bytes = 45000

-- The bytes of an answer after which the connection to the service is closed. `capture` keeps the
-- whole answer in the memory of the worker, so an answer without an end would fill it.
local most_received = 131072

-- Matches a run of valid UTF-8 characters, or one byte that is not valid. Protocol Buffers require
-- UTF-8 in texts.
local characters = [[((?:[\x00-\x7F]|[\xC2-\xDF][\x80-\xBF]|\xE0[\xA0-\xBF][\x80-\xBF]|[\xE1-\xEC\xEE\xEF][\x80-\xBF]{2}]]
  .. [[|\xED[\x80-\x9F][\x80-\xBF]|\xF0[\x90-\xBF][\x80-\xBF]{2}|[\xF1-\xF3][\x80-\xBF]{3}|\xF4[\x80-\x8F][\x80-\xBF]{2})++)]]
  .. [[|([\x80-\xFF])]]

local function kept(found)
  return found[1] or "!"
end

-- Replaces each byte that is not valid UTF-8 by `!`, as Envoy does.
local function text_of(value)
  if not string.find(value, "[\128-\255]") then
    return value
  end
  return (ngx.re.gsub(value, characters, kept, "jos"))
end

local function peer(address, port)
  local socket = bytes(2, address) .. number(3, tonumber(port) or 0)
  return bytes(1, bytes(1, socket))
end

local function header(name, value)
  return bytes(3, bytes(1, text_of(name)) .. bytes(2, text_of(value)))
end

-- Returns the message CheckRequest for the client's request. `asked` has the fields that nginx
-- sent.
local function request_of(asked, body)
  local var, lines = ngx.var, {}
  for name, value in pairs(ngx.req.get_headers(0, true)) do
    name = name:lower()
    if not own[name] then
      lines[#lines + 1] = header(name, type(value) == "table" and table.concat(value, ",") or tostring(value))
    end
  end
  local method, path, host = ngx.req.get_method(), var.request_uri:sub(#question + 1), var.http_host or ""
  if asked.all == "1" then
    lines[#lines + 1] = header(":method", method) .. header(":path", path) .. header(":authority", host)
      .. header(":scheme", asked.scheme)
  end
  local http = bytes(1, text_of(asked.id)) .. bytes(2, method) .. table.concat(lines) .. bytes(4, text_of(path))
    .. bytes(5, text_of(host)) .. bytes(6, asked.scheme) .. number(9, #body) .. bytes(10, asked.protocol)
  if body ~= "" then
    http = http .. (text_of(body) == body and bytes(11, body) or bytes(12, body))
  end
  local time = bytes(1, number(1, floor(ngx.req.start_time())))
  local request = bytes(4, time .. bytes(2, http))
  local attributes = bytes(1, peer(asked.client, asked.client_port)) .. bytes(2, peer(asked.server, asked.server_port))
  return bytes(1, attributes .. request)
end

-- Returns the message in an answer, or nil and the reason why there is none. The last line of the
-- answer is the status of gRPC, which `pass_header` has added.
local function message_of(answer)
  if answer.status ~= 200 or answer.truncated then
    return nil, "its answer has the status " .. answer.status
  end
  local frame, status = answer.body:match("^(.*)\n(%d*)$")
  if status ~= "0" then
    return nil, "its status of gRPC is " .. (status == "" and "missing" or tostring(status))
  end
  local flag, a, b, c, d = frame:byte(1, 5)
  if flag ~= 0 or not d or ((a * 256 + b) * 256 + c) * 256 + d ~= #frame - 5 then
    return nil, "its answer is not one message without compression"
  end
  return frame:sub(6)
end

local function ask(asked)
  ngx.req.read_body()
  local message = request_of(asked, ngx.req.get_body_data() or "")
  local size = #message
  local length = string.char(floor(size / 16777216) % 256, floor(size / 65536) % 256, floor(size / 256) % 256, size % 256)
  return message_of(ngx.location.capture("/ask", {
    method = ngx.HTTP_POST,
    body = "\0" .. length .. message,
    vars = { route_auth_upstream = asked.upstream },
  }))
end

local fields = { "upstream", "all", "client", "client_port", "server", "server_port", "scheme", "protocol", "id" }

-- Reads the fields that nginx writes into one header of the question.
local function fields_of(text)
  local found = { string.match(text or "", ("([^|]*)|"):rep(#fields - 1, "") .. "(.*)") }
  local asked = {}
  for at, name in ipairs(fields) do
    asked[name] = found[at] or ""
  end
  return asked
end

-- Runs in the location that receives the question of auth_request.
function _M.serve()
  local asked = fields_of(ngx.req.get_headers(0)["x-sluice-check"])
  local message, problem = ask(asked)
  local is_read, verdict = pcall(verdicts.of, message or "")
  if message and not is_read then
    problem = "its answer cannot be followed: " .. tostring(verdict)
  end
  local text = message and is_read and cjson.encode(verdict)
  if text and #text > most_bytes then
    problem = "its answer has more than " .. most_bytes .. " bytes"
  end
  if problem or not text then
    ngx.log(ngx.ERR, "the auth service ", asked.upstream, " failed over gRPC: ", problem)
    return ngx.exit(500)
  end
  ngx.header["X-Sluice-Verdict"] = ngx.encode_base64(text)
  ngx.status = verdict.refused and 401 or 200
  ngx.print("")
end

-- Runs in the location that calls the service: adds the status of gRPC to the end of its answer.
function _M.pass_header()
  ngx.ctx.status = ngx.header["grpc-status"]
  ngx.header["Content-Length"] = nil
end

function _M.pass_status()
  local ctx = ngx.ctx
  ctx.received = (ctx.received or 0) + #(ngx.arg[1] or "")
  if ctx.received > most_received then
    return ngx.ERROR
  elseif ngx.arg[2] then
    ngx.arg[1] = (ngx.arg[1] or "") .. "\n" .. (ngx.var.upstream_trailer_grpc_status or ctx.status or "")
  end
end

return _M

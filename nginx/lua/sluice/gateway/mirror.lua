-- Copies requests to other backends. Each copy runs on a timer, because nginx's own subrequests
-- would hold up the client's next request until the slowest copy is answered. The answers are
-- dropped.
local bodies = require("sluice.gateway.body")
local new_places = require("sluice.places").new
local rewrite = require("sluice.route.rewrite")
local round_robin = require("sluice.balance.round_robin")
local store = require("sluice.store")

local _M = {}

-- The most copies that one worker sends at a time, of which each namespace has a share; further
-- copies are left out.
local most = 200
local places = new_places(most)

-- Milliseconds to connect, to send, and to wait for the beginning of the answer. The copy waits for
-- its first bytes, because a backend might drop the request when the connection ends earlier. It
-- does not wait for a whole line, because a line without an end would fill the worker's memory.
local connect_ms, send_ms, read_ms = 1000, 5000, 10000

-- Headers that a copy leaves out, because they concern the client's connection or the copy sets its
-- own. Underscores in their names count as hyphens, because nginx's variables read both.
local own = {
  ["connection"] = true, ["keep-alive"] = true, ["proxy-connection"] = true, ["te"] = true, ["trailer"] = true,
  ["transfer-encoding"] = true, ["upgrade"] = true, ["host"] = true, ["content-length"] = true, ["expect"] = true,
  ["x-forwarded-for"] = true, ["x-forwarded-host"] = true, ["x-forwarded-proto"] = true, ["x-real-ip"] = true,
  ["x-forwarded-port"] = true, ["x-request-id"] = true, ["proxy"] = true, ["x-sluice-hops"] = true,
  ["x-sluice-copy"] = true,
}

-- Returns the path and query that nginx sends to the backend: those of the client, unless something
-- has changed them since the request was routed.
local function sent_uri(var)
  local asked, uri, args = rewrite.origin_form(var), var.uri, var.args or ""
  if uri == var.route_uri and args == (asked:match("^[^?#]*%?([^#]*)") or "") then
    return var.route_target ~= "" and var.route_target or asked
  end
  return rewrite.current(var)
end

local function text_of(var, body, is_call)
  local lines = {
    var.request_method .. " " .. sent_uri(var) .. " HTTP/1.1",
    "Host: " .. (var.route_host ~= "" and var.route_host or var.best_http_host),
    "X-Forwarded-For: " .. var.remote_addr,
    "X-Real-IP: " .. var.remote_addr,
    "X-Forwarded-Host: " .. var.best_http_host,
    "X-Forwarded-Port: " .. var.pass_port,
    "X-Forwarded-Proto: " .. var.pass_access_scheme,
    "X-Request-ID: " .. var.req_id,
    -- Marks the copy, so that it is answered with 508 if it comes back to its own route
    -- (src/core/tokens/hops.ts).
    "X-Sluice-Hops: " .. (var.http_x_sluice_hops or "") .. "," .. var.route_hop,
    "Connection: close",
  }
  if is_call then
    -- Servers of gRPC refuse clients that do not take trailers.
    lines[#lines + 1] = "TE: trailers"
  end
  for name, values in pairs(ngx.req.get_headers(0, true)) do
    if not own[string.gsub(name:lower(), "_", "-")] then
      for _, value in ipairs(type(values) == "table" and values or { values }) do
        lines[#lines + 1] = name .. ": " .. tostring(value)
      end
    end
  end
  if body ~= "" or (var.request_method ~= "GET" and var.request_method ~= "HEAD") then
    lines[#lines + 1] = "Content-Length: " .. #body
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n" .. body
end

local function connect(socket, peer)
  local host, port = peer:match("^(.*):(%d+)$")
  if host then
    return socket:connect(host, tonumber(port))
  end
  return socket:connect(peer)
end

-- Reads the answer, because nginx forwards a call only while its client takes the answer, and
-- cancels the call when the connection ends. Some answers have no end.
local function drain(socket)
  local latest = ngx.now() + read_ms / 1000
  local some
  repeat
    some = socket:receiveany(65536)
  until not some or ngx.now() > latest
end

local function send(_, namespace, peer, text, is_call)
  local socket = ngx.socket.tcp()
  socket:settimeouts(connect_ms, send_ms, read_ms)
  local ok, problem = connect(socket, peer)
  local reading = ok and is_call and ngx.thread.spawn(drain, socket)
  if ok then
    ok, problem = socket:send(text)
  end
  if not ok then
    ngx.log(ngx.INFO, "a copy for ", peer, " could not be sent: ", problem)
    if reading then
      ngx.thread.kill(reading)
    end
  elseif reading then
    ngx.thread.wait(reading)
  else
    socket:receiveany(4096)
  end
  socket:close()
  places:give_back(namespace, 1)
end

local function copy_to(namespace, id, text, way, is_call)
  local upstream = store.get("upstream", id, store.generation())
  if not upstream or #upstream.endpoints == 0 then
    return
  end
  if not places:take(namespace, 1) then
    ngx.log(ngx.WARN, "a copy for ", id, " was left out: too many of the namespace ", namespace, " are under way")
    return
  end
  local peer
  if way then
    -- A server of nginx itself sends copies of this way; a variable of the location has its
    -- address.
    peer = ngx.var["route_copy_" .. way]
    text = text:gsub("\r\n", "\r\nX-Sluice-Copy: " .. id:gsub("%%", "%%%%") .. "\r\n", 1)
  else
    peer = round_robin.pick(upstream)
  end
  local ok, problem = ngx.timer.at(0, send, namespace, peer, text, is_call)
  if not ok then
    places:give_back(namespace, 1)
    ngx.log(ngx.WARN, "a copy for ", id, " could not be made: ", problem)
  end
end

local function copy(mirrors, body_of, is_call)
  local var, text = ngx.var, nil
  for _, mirror in ipairs(mirrors) do
    if mirror[2] >= 1 or math.random() < mirror[2] then
      if text == nil then
        local body = body_of(var)
        text = body and text_of(var, body, is_call)
      end
      if not text then
        return
      end
      copy_to(var.namespace or "", mirror[1], text, mirror[3], is_call)
    end
  end
end

-- Each mirror, { upstream, share, way }, gets its share of the requests. Without a way its copies
-- are sent over HTTP/1.1 without TLS.
function _M.copy(mirrors)
  copy(mirrors, bodies.kept, false)
end

-- The body of a call that is over: nginx has kept it, unless it was too large or had no end.
local function kept_body(var)
  return var.kept_request_body
end

-- Copies a call in the log phase.
function _M.copy_late(mirrors)
  copy(mirrors, kept_body, true)
end

return _M

-- Keeps the body of a request for a retry, a copy or an auth service. All other bodies of routes go
-- to the backend as they come in, and nginx keeps no part that it has sent. A body that is kept may
-- be on the disk, so its size and that of all kept bodies are limited (kept-body-size).
local new_places = require("sluice.places").new

local _M = {}

-- The largest body that is kept, and the bytes of all kept bodies of this worker.
local most = 0
local places

-- The bodies that are kept now.
local count = 0

-- A worker keeps bodies of this many times the largest size in all (docs/sizing.md).
local most_bodies = 128

function _M.limit(bytes)
  most, places = bytes, new_places(bytes * most_bodies)
end

-- Whether a request without Content-Length may have a body all the same. Nothing in a request of
-- HTTP/2 or HTTP/3 says whether it has one.
function _M.may_be_unseen(var)
  return var.server_protocol:sub(1, 6) ~= "HTTP/1"
end

-- Returns the length of the body, or nil if no header tells it. A GET or HEAD without a length
-- counts as one without a body.
local function length_of(var)
  local length = tonumber(var.content_length)
  if length then
    return length
  elseif _M.may_be_unseen(var) then
    return (var.request_method == "GET" or var.request_method == "HEAD") and 0 or nil
  end
  return not var.http_transfer_encoding and 0 or nil
end

-- Reads the body if there is room for it, and returns whether it was read. Each namespace has a
-- share of the room.
local function read(var, namespace, length)
  if not places:take(namespace, length) then
    return false
  end
  var.route_body_kept = length .. " " .. namespace
  count = count + 1
  ngx.req.read_body()
  return true
end

-- Namespaces of which the log has said that a body was not kept. They are dropped when there are
-- many.
local told, told_count = {}, 0

local function pass(var, namespace, why)
  var.route_body_passes = "1"
  if told[namespace] then
    return
  elseif told_count >= 1000 then
    told, told_count = {}, 0
  end
  told[namespace], told_count = true, told_count + 1
  ngx.log(ngx.WARN, "a body for a route of ", namespace, " was not kept, so the request is not sent again and not copied: ", why)
end

-- Runs when the guards have let the request pass, and before the backend is asked.
function _M.keep(namespace)
  local var = ngx.var
  local length = length_of(var)
  if not length then
    pass(var, namespace, "its length is not known in advance")
  elseif length > most then
    pass(var, namespace, "it is longer than kept-body-size, " .. most .. " bytes")
  elseif length > 0 and var.route_body_kept == "" and not read(var, namespace, length) then
    pass(var, namespace, "other bodies take all the room of the namespace")
  end
end

-- Returns whether the whole body is at hand, which is also true if there is none.
function _M.is_whole(var)
  return var.route_body_kept ~= "" or length_of(var) == 0
end

-- Returns the body that was read. nginx has put one larger than its buffer into a file.
function _M.text()
  local body = ngx.req.get_body_data()
  local path = not body and ngx.req.get_body_file()
  local file = path and io.open(path, "r")
  if file then
    body = file:read("*a")
    file:close()
  end
  return body or ""
end

-- Returns the body if it is whole; otherwise nil.
function _M.kept(var)
  if var.route_body_kept ~= "" then
    return _M.text()
  end
  return length_of(var) == 0 and "" or nil
end

-- Reads a body for an auth service. Returns nil and a status if that is not possible: 413 if the
-- body has more than `limit` bytes or if its length is not known in advance, 503 if there is no
-- room. nginx itself limits a body in chunks (client_max_body_size of the location).
function _M.asked(var, namespace, limit)
  if var.route_body_kept ~= "" then
    return _M.text()
  end
  local length = length_of(var)
  local is_chunked = not length and not _M.may_be_unseen(var)
  if length == 0 then
    return ""
  elseif length and length > limit or not length and not is_chunked then
    return nil, 413
  elseif not read(var, namespace, length or limit) then
    return nil, 503
  end
  local body = _M.text()
  if #body > limit then
    return nil, 413
  end
  return body
end

-- Runs when a request is over, wherever nginx has answered it.
function _M.over()
  local kept = count > 0 and ngx.var.route_body_kept
  if not kept or kept == "" then
    return
  end
  local length, namespace = string.match(kept, "^(%d+) (.*)$")
  count = count - 1
  places:give_back(namespace, tonumber(length))
end

return _M

-- Reads the body of a request for copies and auth services.
local ngx = ngx
local sub = string.sub

local _M = {}

-- Whether a request without Content-Length may have a body all the same. Nothing in a request of
-- HTTP/2 or HTTP/3 says whether it has one.
function _M.may_be_unseen(var)
  return sub(var.server_protocol, 1, 6) ~= "HTTP/1"
end

-- Returns false if the body has more than `most` bytes, or its length is not known in advance. A
-- GET or HEAD without a length counts as one without a body.
function _M.of(var, most)
  local length = tonumber(var.content_length)
  local is_unsaid = not length and _M.may_be_unseen(var)
  if is_unsaid then
    return (var.request_method == "GET" or var.request_method == "HEAD") and ""
  elseif not length and not var.http_transfer_encoding then
    return ""
  elseif length and length > most then
    return false
  end
  ngx.req.read_body()
  local body = ngx.req.get_body_data()
  local path = not body and ngx.req.get_body_file()
  local file = path and io.open(path, "r")
  if file then
    body = file:read(most + 1)
    file:close()
  end
  return body == nil and "" or #body <= most and body
end

return _M

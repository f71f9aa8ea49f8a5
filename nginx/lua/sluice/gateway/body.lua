-- Reads the body of a request for copies and auth services.
local ngx = ngx

local _M = {}

-- Returns false if the body has more than `most` bytes, or its length is not known in advance.
function _M.of(var, most)
  local length = tonumber(var.content_length)
  if not length and not var.http_transfer_encoding then
    return var.http2 == "" and "" or (var.request_method == "GET" or var.request_method == "HEAD") and ""
  elseif length and length > most or (not length and var.http2 ~= "") then
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

-- Adds the Host header to requests over HTTP/3. They have :authority in its place, and nginx makes
-- no $http_host from it. With the header, snippets, auth services and redirects find the host of
-- the request. Nothing may read $http_host before, because nginx would keep the variable empty.
local ngx = ngx

local _M = {}

function _M.name_host()
  local var = ngx.var
  if var.http3 ~= "" then
    ngx.req.set_header("Host", var.host)
  end
end

return _M

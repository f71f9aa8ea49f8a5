-- HTTP/3 has :authority in place of the Host header, of which nginx makes no $http_host. Here the
-- request gets the header, so that snippets, auth services and redirects find the host that was
-- asked for. Reading $http_host before would leave that variable empty for good.
local ngx = ngx

local _M = {}

function _M.name_host()
  local var = ngx.var
  if var.http3 ~= "" then
    ngx.req.set_header("Host", var.host)
  end
end

return _M

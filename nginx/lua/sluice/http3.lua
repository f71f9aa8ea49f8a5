-- HTTP/3 has :authority in place of the Host header, of which nginx makes no $http_host. Here the
-- request gets the header, so that whoever reads it (snippets, auth services, redirects) finds what
-- was asked for. Whoever read $http_host before would leave it empty for good.
local ngx = ngx

local _M = {}

function _M.name_host()
  local var = ngx.var
  if var.http3 ~= "" then
    ngx.req.set_header("Host", var.host)
  end
end

return _M

-- Workers are forked from one master and would all draw the same numbers.
local _M = {}

function _M.seed()
  local file = io.open("/dev/urandom", "r")
  local bytes = file and file:read(4)
  if file then
    file:close()
  end
  local seed = bytes and 0 or ngx.now() * 1000 + ngx.worker.pid()
  for i = 1, bytes and #bytes or 0 do
    seed = seed * 256 + string.byte(bytes, i)
  end
  math.randomseed(seed)
end

return _M

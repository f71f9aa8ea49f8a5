-- Reports the response times and failures that balancing has noted for some peers. A user views the
-- endpoints of one route at a time, so a request names few peers.
local channel = require("sluice.channel")
local ewma = require("sluice.balance.ewma")
local failures = require("sluice.balance.failures")

local gmatch = string.gmatch

local most_peers = 500

local _M = {}

-- Each line of the body is a peer. The answer has a line for each: the moving average of its times
-- in seconds, or a hyphen, and the number of its failures.
function _M.serve()
  ngx.req.read_body()
  local count = 0
  for peer in gmatch(channel.body(), "[^\n]+") do
    count = count + 1
    if count > most_peers then
      return
    end
    local time = ewma.noted_time(peer)
    ngx.say(time or "-", " ", failures.of(peer))
  end
end

return _M

-- Says what balancing remembers of some peers: a look for people, who ask for the endpoints of one
-- route at a time.
local channel = require("sluice.channel")
local ewma = require("sluice.balance.ewma")
local failures = require("sluice.balance.failures")

local gmatch = string.gmatch

local most_peers = 500

local _M = {}

-- The lines of the body are peers. Answers with a line for each of them: the moving average of its
-- answers in seconds, or a hyphen, and how often it failed.
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

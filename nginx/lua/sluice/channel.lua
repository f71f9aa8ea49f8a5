-- The controller's access to shared memory: a server on a Unix socket, in a folder that no other
-- account can enter.
local bodies = require("sluice.gateway.body")
local journal = require("sluice.journal")
local records = journal.records

local _M = {}

-- POST applies the lines of the body and answers 507 when memory is full. GET returns the name of
-- the controller instance that wrote the records. Three lines follow in both answers: the size of
-- the memory, the size of its free whole pages, and the number of writes.
function _M.serve()
  local answer = records:get("instance") or ""
  if ngx.req.get_method() == "POST" then
    ngx.req.read_body()
    local applied, problem = journal.apply(bodies.text())
    answer = applied and "applied" or problem
    if not applied then
      ngx.status = problem == "no memory" and 507 or 400
    end
  end
  ngx.say(answer)
  ngx.say(records:capacity())
  ngx.say(records:free_space())
  ngx.say(records:get(journal.writing) or 0)
end

-- Makes each answer close its connection from now on. nginx still accepts connections.
function _M.close_connections()
  records:safe_set(journal.closing, true)
  records:incr(journal.generation, 1, 0)
  ngx.say("closing")
end

return _M

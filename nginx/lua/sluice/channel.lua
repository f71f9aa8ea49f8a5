-- The controller's end of shared memory: a server on a unix socket in a folder that no other
-- account can enter.
local journal = require("sluice.journal")

local records = ngx.shared.sluice_records

local _M = {}

-- POST: the lines of the body are applied; 507 when memory is full. GET: which instance's records
-- are here. Both say on the next lines how much memory there is, how much of it is in whole free
-- pages, and how often records were written.
function _M.serve()
  local said = records:get("instance") or ""
  if ngx.req.get_method() == "POST" then
    ngx.req.read_body()
    local applied, problem = journal.apply(_M.body())
    said = applied and "applied" or problem
    if not applied then
      ngx.status = problem == "no memory" and 507 or 400
    end
  end
  ngx.say(said)
  ngx.say(records:capacity())
  ngx.say(records:free_space())
  ngx.say(records:get("writing") or 0)
end

-- A body larger than its buffer is in a file.
function _M.body()
  local body = ngx.req.get_body_data()
  if body then
    return body
  end
  local path = ngx.req.get_body_file()
  local file = path and io.open(path, "r")
  if not file then
    return ""
  end
  local text = file:read("*a")
  file:close()
  return text
end

return _M

-- Which form of a host's record this worker can serve. Shared memory has the newest form, and under
-- `before` those that it replaced, youngest first, `false` for none (src/sync/route-handover.ts).
-- Each record is chosen by itself: the newest form of one may need a text that is still coming,
-- while another one's needs only the text that runs.
local store = require("sluice.store")

local _M = {}

-- Whether the server has all shapes that the record names.
local function serves(record, shapes)
  for _, location in ipairs(record.locations or {}) do
    if not shapes[location.shape] or (location.standIn and not shapes[location.standIn.shape]) then
      return false
    end
  end
  return true
end

-- The youngest form that the server can serve, or nil where the host was not there then. `shapes`
-- are the server's. An alias names no shapes itself: its newest form goes with its target's newest
-- form.
function _M.served(name, generation, shapes)
  local newest = store.get("host", name, generation)
  if not newest then
    return nil
  end
  local target = newest.as and store.get("host", newest.as, generation) or newest
  if serves(target, shapes) then
    return newest
  end
  local replaced = store.get("before host", name, generation)
  if not replaced then
    return newest
  end
  for _, form in ipairs(replaced) do
    if form == false or serves(form, shapes) then
      return form or nil
    end
  end
  return replaced[#replaced]
end

return _M

-- Chooses the form of a host's record that this worker can serve. Shared memory has the newest
-- form, and under `before` the forms that it replaced, youngest first, with `false` if there was
-- none (src/core/sync/route-handover.ts). Each record is chosen by itself: one may need a text that
-- is still being loaded, while another needs only the running one.
local store = require("sluice.store")

local _M = {}

-- Returns whether the server has all shapes that the record names.
local function serves(record, shapes)
  for _, location in ipairs(record.locations or {}) do
    if location.shape and not shapes[location.shape] or (location.standIn and not shapes[location.standIn.shape]) then
      return false
    end
  end
  return true
end

-- Returns the youngest form that the server can serve, or nil if the host did not exist then.
-- `shapes` are those of the server. An alias names no shapes itself: its newest form goes with its
-- target's newest form.
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

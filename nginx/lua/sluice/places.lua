-- Places that tenants share, such as those of the copies under way. A namespace gets further places
-- only while it has no more of them than are left. So one namespace can take half of them, a second
-- one half of the rest, and each one after these still gets some.
local _M = {}
_M.__index = _M

function _M.new(most)
  return setmetatable({ left = most, by_namespace = {} }, _M)
end

-- Returns whether the namespace gets that many places.
function _M:take(namespace, count)
  local own = (self.by_namespace[namespace] or 0) + count
  local left = self.left - count
  if own > left then
    return false
  end
  self.left, self.by_namespace[namespace] = left, own
  return true
end

function _M:give_back(namespace, count)
  local own = self.by_namespace[namespace] - count
  self.left, self.by_namespace[namespace] = self.left + count, own > 0 and own or nil
end

return _M

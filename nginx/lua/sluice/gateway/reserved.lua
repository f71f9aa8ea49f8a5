-- Headers that an auth service cannot set, because they mark the end of a message, belong to one
-- connection, or are Sluice's own.
local gsub = string.gsub
local lower = string.lower
local sub = string.sub

local _M = {}

local reserved = {
  ["content-length"] = true, ["transfer-encoding"] = true, ["connection"] = true, ["host"] = true,
  ["upgrade"] = true, ["te"] = true, ["trailer"] = true, ["expect"] = true, ["keep-alive"] = true,
  ["http2-settings"] = true, ["proxy"] = true,
}

-- Returns the name as some servers read it: they take `_` and `.` for `-`.
function _M.plain(name)
  return (gsub(lower(name), "[_.]", "-"))
end

function _M.has(name)
  local plain = _M.plain(name)
  return reserved[plain] ~= nil or sub(plain, 1, 6) == "proxy-" or sub(plain, 1, 9) == "x-sluice-"
end

return _M

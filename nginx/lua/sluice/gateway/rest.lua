-- Replaces the prefix of a path. Exactly one slash stands between the replacement and the rest.
local byte = string.byte
local find = string.find
local format = string.format
local gsub = string.gsub
local sub = string.sub

local _M = {}

function _M.percent(char)
  return format("%%%02X", byte(char))
end

-- Puts exactly one slash between the replacement and what follows the prefix.
local function join(to, following)
  if following == "" then
    return to == "" and "/" or to
  elseif sub(to, -1) == "/" and sub(following, 1, 1) == "/" then
    return to .. sub(following, 2)
  elseif sub(to, -1) ~= "/" and sub(following, 1, 1) ~= "/" then
    return to .. "/" .. following
  end
  return to .. following
end

-- Returns the new path. `change` is { replacement, prefix without a slash at its end }, and the
-- rest comes from the decoded path.
function _M.joined(change, uri)
  return join(change[1], sub(uri, #change[2] + 1))
end

-- Does the same for a header, if the replacement is escaped already: escapes of the client stay,
-- as long as the path was not changed before.
function _M.replaced(change, uri, request_uri)
  local escaped = find(request_uri, "%", 1, true) and "[%c #%%+?\127-\255]" or "[%c \127-\255]"
  return join(change[1], (gsub(sub(uri, #change[2] + 1), escaped, _M.percent)))
end

return _M

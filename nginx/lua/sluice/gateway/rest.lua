-- Replaces the prefix of a path. Exactly one slash stands between the replacement and the rest.
-- Backends get the rest as the client wrote it, because `%2F` and `//` may mean something to them.
local rewriting = require("sluice.route.rewrite")

local find = string.find
local gsub = string.gsub
local match = string.match
local sub = string.sub

local _M = {}

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

local function from_hex(digits)
  return string.char(tonumber(digits, 16))
end

local function decoded(text)
  return (gsub(text, "%%(%x%x)", from_hex))
end

-- Returns whether the text, which a client wrote, is another spelling of this part of the decoded
-- path: escapes, double slashes and single dots. It is none if it holds `..` in any spelling.
local function spells(text, part)
  local plain = decoded(text)
  if find(plain, "..", 1, true) or find(decoded(plain), "..", 1, true) then
    return false
  end
  local changed
  plain = gsub(plain, "//+", "/")
  repeat
    plain, changed = gsub(plain, "/%./", "/")
  until changed == 0
  return gsub(plain, "/%.$", "/") == part
end

-- Returns the place in the client's path behind the part that is this prefix, or nil.
local function behind(raw, prefix)
  local at, count, last = 1, 0, nil
  while count < #prefix do
    local text = match(raw, "^%%%x%x", at) or sub(raw, at, at)
    local char = decoded(text)
    if char ~= "/" or last ~= "/" then
      count, last = count + 1, char
      if char ~= sub(prefix, count, count) then
        return nil
      end
    end
    at = at + #text
  end
  return at
end

-- Returns the client's path; nil if it cannot differ from the decoded one.
function _M.written(request_uri)
  local raw = match(request_uri, "^[^?#]*")
  if find(raw, "%", 1, true) or find(raw, "//", 1, true) or find(raw, "/.", 1, true) then
    return rewriting.escape(raw, "[%c ]")
  end
end

-- Returns the new path in the client's spelling, or nil if that holds `..`, or if the path was
-- changed before. It never begins with two slashes, which some backends take for a host.
function _M.spelled(change, uri, raw)
  local at = behind(raw, change[2])
  local rest = at and sub(raw, at)
  if not rest or not spells(rest, sub(uri, #change[2] + 1)) then
    return nil
  end
  rest = gsub(rest, "^%%2[fF]", "/")
  return (gsub(join(ngx.escape_uri(change[1], 0), rest), "^//+", "/"))
end

-- Does the same for the groups of a pattern: `raw` are those of the client's path. Returns nil also
-- if they are no spellings of `groups`.
function _M.spelled_groups(groups, raw)
  for at = 1, 9 do
    if (groups[at] or "") ~= (raw[at] or "") and not spells(raw[at] or "", groups[at] or "") then
      return nil
    end
  end
  return raw
end

-- Does the same as `joined` for a header, if the replacement is escaped already: escapes of the
-- client stay, as long as the path was not changed before.
function _M.replaced(change, uri, request_uri)
  local escaped = find(request_uri, "%", 1, true) and "[%c #%%+?\127-\255]" or "[%c \127-\255]"
  return join(change[1], rewriting.escape(sub(uri, #change[2] + 1), escaped))
end

return _M

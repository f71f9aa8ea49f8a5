-- Headers of requests and answers, where nginx has no directive for a change.

local _M = { are_let_through = false }

-- nginx drops headers of a client whose names have underscores, unless the operator lets them
-- through.
function _M.let_through()
  _M.are_let_through = true
end

-- Removes the headers that are other spellings of `names`, a table whose keys are in lower case.
-- Servers behind CGI and its successors read `_` as `-`, and so do nginx's own variables for
-- headers. So a client could contradict a header of Sluice's by another spelling.
function _M.clear_spellings(names)
  if not _M.are_let_through then
    return
  end
  for name in pairs(ngx.req.get_headers(0, true)) do
    if name:find("_", 1, true) and not names[name:lower()] and names[string.gsub(name:lower(), "_", "-")] then
      ngx.req.clear_header(name)
    end
  end
end

-- Headers that an auth service cannot set, because they mark the end of a message, belong to one
-- connection, or are Sluice's own.
local reserved = {
  ["content-length"] = true, ["transfer-encoding"] = true, ["connection"] = true, ["host"] = true,
  ["upgrade"] = true, ["te"] = true, ["trailer"] = true, ["expect"] = true, ["keep-alive"] = true,
  ["http2-settings"] = true, ["proxy"] = true,
}

-- Returns the name as some servers read it: they take `_` and `.` for `-`.
function _M.plain(name)
  return (string.gsub(name:lower(), "[_.]", "-"))
end

function _M.is_reserved(name)
  local plain = _M.plain(name)
  return reserved[plain] ~= nil or plain:sub(1, 6) == "proxy-" or plain:sub(1, 9) == "x-sluice-"
end

-- Returns all values of a header in one text.
function _M.joined(values)
  return type(values) == "table" and table.concat(values, ", ") or values
end

-- Returns the values of a header, with one more value at the end.
function _M.with(values, value)
  if values == nil then
    return value
  elseif type(values) == "table" then
    values[#values + 1] = value
    return values
  end
  return { values, value }
end

return _M

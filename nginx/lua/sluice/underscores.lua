-- Headers of a client whose names have underscores. nginx drops them unless the operator lets them
-- through. Servers behind CGI and its successors read `_` as `-`, and so do nginx's own variables
-- for headers. So a client could contradict a header of Sluice's by another spelling.
local ngx = ngx
local find = string.find
local gsub = string.gsub
local lower = string.lower

local _M = { are_let_through = false }

function _M.let_through()
  _M.are_let_through = true
end

-- Removes the headers that are other spellings of `names`, a table whose keys are in lower case.
function _M.clear(names)
  if not _M.are_let_through then
    return
  end
  for name in pairs(ngx.req.get_headers(0, true)) do
    if find(name, "_", 1, true) and not names[lower(name)] and names[gsub(lower(name), "_", "-")] then
      ngx.req.clear_header(name)
    end
  end
end

return _M

-- Finds the Service that a snippet names by its label, namespace-service-port, as
-- $proxy_upstream_name has it.
local store = require("sluice.store")

local _M = {}

-- Returns each way to split a text at one of its hyphens.
local function splits(text)
  local at = 0
  return function()
    at = text:find("-", at + 1, true)
    if at then
      return text:sub(1, at - 1), text:sub(at + 1)
    end
  end
end

-- Returns the id of the upstream that a snippet names by its label. The parts of a label may hold
-- hyphens themselves.
function _M.upstream(label, generation)
  for namespace, rest in splits(label) do
    for service, port in splits(rest) do
      local id = namespace .. "/" .. service .. "/" .. port
      if store.get("upstream", id, generation) then
        return id
      end
    end
  end
  return label
end

-- Returns the upstream that a location of a server-snippet names by $proxy_upstream_name. No
-- router has run there.
function _M.named()
  return _M.upstream(ngx.var.proxy_upstream_name, store.generation())
end

-- Returns the upstream that $proxy_upstream_name names after a snippet has set it.
function _M.renamed()
  local var = ngx.var
  local label = var.proxy_upstream_name
  if label == var.route_label then
    return var.s_to
  end
  local generation = store.generation()
  local id = _M.upstream(label, generation)
  local upstream = store.get("upstream", id, generation)
  var.route_unserved = upstream and #upstream.endpoints > 0 and "" or "1"
  return id
end

return _M

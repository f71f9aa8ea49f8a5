-- Makes the labels under which a request is counted, as one text: host, canary, method, status, and
-- the names that the router sets.
local hosts = require("sluice.route.hosts")
local store = require("sluice.store")

local _M = {}

-- Options from the controller's flags.
local options

-- Labels by the text that nginx wrote; false for requests that are not counted. They are valid for
-- one generation of the records, because the records decide which hosts exist.
local known, count, generation = {}, 0, nil
local most_known = 20000

-- Clients may send any method. The methods of this list keep their names, and all others count as
-- one.
local methods = {}
for name in string.gmatch(
  "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH",
  "%u+"
) do
  methods[name] = name
end

function _M.use(given)
  options = given
end

-- Returns the host of a route's request in the form in which its listener has it: the name itself,
-- the longest wildcard that takes it, or the host for all names.
local function host_of_listener(host, listener)
  local now = store.generation()
  local name = host
  while name ~= "_" and not store.get("host", listener .. " " .. name, now) do
    name = hosts.wider(name)
  end
  return name
end

-- Returns the host of an Ingress, or the wildcard that takes the name. A name that only a client
-- sent is no label unless a flag allows it.
local function host_label(host, listener)
  if not options.per_host then
    return ""
  elseif not hosts.is_host(host) then
    return options.undefined_hosts and "_"
  end
  if listener then
    return host_of_listener(host, listener)
  end
  local now = store.generation()
  if store.get("host", host, now) then
    return host
  end
  local dot = host:find(".", 1, true)
  local wildcard = dot and "*" .. host:sub(dot)
  if wildcard and store.get("host", wildcard, now) then
    return wildcard
  end
  return options.undefined_hosts and host
end

-- Reads $host, the canary, the method, the status, and four labels of the router. The last of these
-- is a path and may hold anything. Routes of Gateways have four more. Returns false for a host that
-- is not counted.
local function new_labels(text)
  local host, canary, method, status, route = text:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
  local gateway, listener = route:match("^[^\t]+\t\t.*\t([^\t]*)\t([^\t]*)\t[^\t]*\t[^\t]*$")
  host = host_label(host, gateway and gateway .. "/" .. listener)
  if not host then
    return false
  end
  if options.status_classes then
    status = status:sub(1, 1) .. "xx"
  end
  if route == "" then
    route = "\t\t\t"
  end
  return table.concat({ host, canary, methods[method] or "OTHER", status, (route:gsub("\n", " ")) }, "\t")
end

-- Returns the labels for the text that nginx wrote, or false for a request that is not counted.
function _M.of(text)
  local labels = known[text]
  if labels == nil then
    labels = new_labels(text)
    known[text] = labels
    count = count + 1
  end
  return labels
end

-- Called from time to time: drops labels of older records, and all of them when there are too many.
function _M.renew()
  local now = store.generation()
  if now ~= generation or count >= most_known then
    known, count, generation = {}, 0, now
  end
end

return _M

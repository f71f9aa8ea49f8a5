-- Whose a request is counted as: host, canary, method, status, and what the router says of the
-- Ingress, in one text.
local store = require("sluice.store")

local concat = table.concat
local find = string.find
local gsub = string.gsub
local match = string.match
local sub = string.sub

local _M = {}

-- What the flags say.
local options

-- The labels by the labels as they came, false for what is not counted: as of one generation of the
-- records, which say what hosts there are.
local known, count, generation = {}, 0, nil
local most_known = 20000

-- Methods are what a client writes; others are one.
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

-- The host of a route as the listener knows it: the name itself, the longest wildcard that takes
-- it, or the one of all hosts.
local function host_of_listener(host, listener)
  local now = store.generation()
  if store.get("host", listener .. " " .. host, now) then
    return host
  end
  local dot = find(host, ".", 2, true)
  while dot do
    local wildcard = "*" .. sub(host, dot)
    if store.get("host", listener .. " " .. wildcard, now) then
      return wildcard
    end
    dot = find(host, ".", dot + 1, true)
  end
  return "_"
end

-- A host that some Ingress names, or the wildcard that takes it; what a client makes up is no label
-- unless a flag says so.
local function host_label(host, listener)
  if not options.per_host then
    return ""
  end
  if listener then
    return host_of_listener(host, listener)
  end
  local now = store.generation()
  if store.get("host", host, now) then
    return host
  end
  local dot = find(host, ".", 1, true)
  local wildcard = dot and "*" .. sub(host, dot)
  if wildcard and store.get("host", wildcard, now) then
    return wildcard
  end
  return options.undefined_hosts and host
end

-- From $host, the canary, the method, the status and what the router says: four labels, of which
-- the last is a path and may hold anything, and for routes of Gateways four more. False for a host
-- that is not counted.
local function new_labels(text)
  local host, canary, method, status, route = match(text, "^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
  local gateway, listener = match(route, "^[^\t]+\t\t.*\t([^\t]*)\t([^\t]*)\t[^\t]*\t[^\t]*$")
  host = host_label(host, gateway and gateway .. "/" .. listener)
  if not host then
    return false
  end
  if options.status_classes then
    status = sub(status, 1, 1) .. "xx"
  end
  if route == "" then
    route = "\t\t\t"
  end
  return concat({ host, canary, methods[method] or "OTHER", status, (gsub(route, "\n", " ")) }, "\t")
end

-- The labels for those that nginx has written; false for what is not counted.
function _M.of(text)
  local labels = known[text]
  if labels == nil then
    labels = new_labels(text)
    known[text] = labels
    count = count + 1
  end
  return labels
end

-- To be called now and then: forgets what other records may say otherwise, and what has become too
-- much.
function _M.renew()
  local now = store.generation()
  if now ~= generation or count >= most_known then
    known, count, generation = {}, 0, now
  end
end

return _M

-- Counts requests for the metrics. A worker adds up by itself, by labels, and hands its sums over once a second, so a request
-- costs a few additions. The controller collects what was handed over and keeps the totals; here nothing grows but what it
-- has not fetched yet, and that has a limit.
local cjson = require("cjson.safe")
local store = require("sluice.store")

local ngx = ngx
local concat = table.concat
local lower = string.lower
local find = string.find
local sub = string.sub
local exiting = ngx.worker.exiting
local handed = ngx.shared.sluice_counts

local _M = {}

-- What the flags say; nil: nothing is counted. Buckets are upper bounds, smallest first.
local options

-- Sums since the last time, as { labels, values } by their labels in one text. Requests have the histogram of their duration
-- alone, whose count is theirs; the other histograms have an entry of their own, because their labels may be fewer.
local requests, histograms = {}, {}
-- Parts of the routes since then, and the labels of hosts: one look at shared memory a second is enough.
local routes, hosts = {}, {}
local kept = 0
local last = 0

-- Where the controller does not fetch for long, sums stay here and go on adding up.
local most_kept = 20000
local most_messages = 160
local message_bytes = 32000

-- Methods are what a client writes; others are one.
local methods = {}
for name in string.gmatch(
  "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH",
  "%u+"
) do
  methods[name] = name
end

-- Where the sum, the count and the buckets of each histogram begin in the values; src/metrics/request-metrics.ts knows the order.
local places

function _M.use(given)
  options = given
  places = {}
  local at = 1
  for i, bounds in ipairs({ given.time, given.time, given.part, given.part, given.length, given.length, given.size }) do
    places[i] = { at = at, bounds = bounds }
    at = at + 2 + #bounds
  end
end

-- What the router said of a route: { namespace, ingress, service, path }, with both texts that it is counted by.
local function parts_of(text)
  local parts = routes[text]
  if not parts then
    parts = { text = text }
    for part in string.gmatch(text .. "\0", "(%Z*)%z") do
      parts[#parts + 1] = part
    end
    for i = #parts + 1, 4 do
      parts[i] = ""
    end
    parts.service = concat(parts, "\0", 1, 3)
    routes[text] = parts
  end
  return parts
end

-- A host that some Ingress names, or the wildcard that takes it; what a client makes up is no label unless a flag says so.
local function host_label(host)
  local known = hosts[host]
  if known then
    return known
  end
  local label = store.get("host " .. host) and host
  if not label then
    local dot = find(host, ".", 1, true)
    local wildcard = dot and "*" .. sub(host, dot)
    label = wildcard and store.get("host " .. wildcard) and wildcard
  end
  if label then
    hosts[host] = label
    return label
  end
  return options.undefined_hosts and host or nil
end

local function observe(values, i, text)
  local value = tonumber(text)
  if not value then
    return
  end
  local place = places[i]
  local at, bounds = place.at, place.bounds
  values[at] = (values[at] or 0) + value
  values[at + 1] = (values[at + 1] or 0) + 1
  for n = 1, #bounds do
    if value <= bounds[n] then
      values[at + 1 + n] = (values[at + 1 + n] or 0) + 1
      return
    end
  end
end

-- A new entry for these labels; where there are too many, that of the others.
local function new_entry(entries, key, labels, sums)
  if kept >= most_kept then
    for i = 1, #labels do
      labels[i] = "other"
    end
    key = concat(labels, "\0")
    if entries[key] then
      return entries[key]
    end
  end
  kept = kept + 1
  local entry = { labels, sums }
  entries[key] = entry
  return entry
end

function _M.run()
  if not options then
    return
  end
  local var = ngx.var
  local host = ""
  if options.per_host then
    host = host_label(lower(var.host or ""))
    if not host then
      return
    end
  end
  local route = parts_of(var.route_labels or "")
  local canary = var.proxy_alternative_upstream_name or ""
  local method = methods[var.request_method] or "OTHER"
  local status = var.status
  if options.status_classes then
    status = sub(status, 1, 1) .. "xx"
  end

  local key = concat({ host, route.text, canary, method, status }, "\0")
  local counted = requests[key]
    or new_entry(requests, key, { host, route[1], route[2], route[3], route[4], canary, method, status }, {})
  observe(counted[2], 1, var.request_time)
  local measured
  if options.full then
    measured = histograms[key]
      or new_entry(histograms, key, { host, route[1], route[2], route[3], route[4], canary, method, status }, {})
  else
    local whose = host .. "\0" .. route.service
    measured = histograms[whose] or new_entry(histograms, whose, { host, route[1], route[2], route[3] }, {})
  end
  local values = measured[2]
  local sent = var.bytes_sent
  -- A list of times, of several tries, is no number and is left out.
  observe(values, 2, var.upstream_response_time)
  observe(values, 3, var.upstream_header_time)
  observe(values, 4, var.upstream_connect_time)
  observe(values, 5, var.request_length)
  observe(values, 6, sent)
  observe(values, 7, sent)

  -- A worker that drains has no timers any more.
  if exiting() and ngx.now() - last >= 1 then
    _M.hand_over(true)
  end
end

local function line_of(sort, entry)
  local pairs_of_sums = {}
  for at, value in pairs(entry[2]) do
    pairs_of_sums[#pairs_of_sums + 1] = at
    pairs_of_sums[#pairs_of_sums + 1] = value
  end
  return cjson.encode({ sort, entry[1], pairs_of_sums })
end

-- Everything is kept where the controller has not fetched for long, unless the worker is about to end.
function _M.hand_over(whatever)
  last = ngx.now()
  routes, hosts = {}, {}
  if kept == 0 or (not whatever and (handed:llen("sums") or 0) >= most_messages) then
    return
  end
  for sort, entries in pairs({ r = requests, h = histograms }) do
    local lines, bytes, keys = {}, 0, {}
    local function send()
      if #lines > 0 and handed:rpush("sums", concat(lines, "\n") .. "\n") then
        for _, key in ipairs(keys) do
          entries[key] = nil
          kept = kept - 1
        end
      end
      lines, bytes, keys = {}, 0, {}
    end
    for key, entry in pairs(entries) do
      local line = line_of(sort, entry)
      lines[#lines + 1], keys[#keys + 1] = line, key
      bytes = bytes + #line
      if bytes >= message_bytes then
        send()
      end
    end
    send()
  end
end

function _M.start()
  if options then
    ngx.timer.every(1, function(premature)
      _M.hand_over(premature)
    end)
  end
end

-- What was handed over, once: nothing is left of what was told. An empty answer is the end.
function _M.serve()
  for _ = 1, 64 do
    local text = handed:lpop("sums")
    if not text then
      return
    end
    ngx.print(text)
  end
end

return _M

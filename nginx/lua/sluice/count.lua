-- Counts requests for the metrics. What is to be known of one is a single text that nginx makes (templates/lua.tmpl): its values, and
-- on a line of their own its labels. A request costs a look for that text among those that came lately; they are taken apart some hundred at a
-- time. A worker adds up by itself and hands its sums over once a second. The controller keeps the totals; here nothing grows
-- but what it has not fetched yet, and that has a limit.
local store = require("sluice.store")
local clear = require("table.clear")
local new_table = require("table.new")

local ngx = ngx
local concat = table.concat
local find = string.find
local gsub = string.gsub
local match = string.match
local sub = string.sub
local exiting = ngx.worker.exiting
local handed = ngx.shared.sluice_counts

local _M = {}

-- What the flags say; nil: nothing is counted.
local options

-- How often each text came that is not taken apart yet.
local texts = {}
local distinct = 0
local most_distinct = 200

-- Sums since the last time, by the labels in one text; and the same tables by the labels as they came, false for what is not
-- counted.
local sums, sums_of = {}, {}

-- The labels by the labels as they came, as of one generation of the records, which say what hosts there are.
local labels_of, labels_known, labels_generation = {}, 0, nil

-- What values add to the sums, since the last time: requests have few that differ.
local additions = {}
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

-- Where the sum, the count and the buckets of each histogram begin in the sums, in the order of src/metrics/request-metrics.ts; bounds
-- are upper ones, the smallest first.
local places, last_place

function _M.use(given)
  options = given
  places = {}
  local at = 1
  for i, bounds in ipairs({ given.time, given.time, given.part, given.part, given.length, given.length, given.size }) do
    places[i] = { at = at, bounds = bounds }
    at = at + 2 + #bounds
  end
  last_place = at - 1
end

-- A host that some Ingress names, or the wildcard that takes it; what a client makes up is no label unless a flag says so.
local function host_label(host)
  if not options.per_host then
    return ""
  end
  local generation = store.generation()
  if store.get("host", host, generation) then
    return host
  end
  local dot = find(host, ".", 1, true)
  local wildcard = dot and "*" .. sub(host, dot)
  if wildcard and store.get("host", wildcard, generation) then
    return wildcard
  end
  return options.undefined_hosts and host
end

-- The sums for these labels; where there are too many, those of the others.
local function own_sums(labels)
  local own = sums[labels]
  if own then
    return own
  end
  if kept >= most_kept then
    labels = "other" .. ("\tother"):rep(7)
    own = sums[labels]
  end
  if not own then
    own = new_table(last_place, 0)
    sums[labels] = own
    kept = kept + 1
  end
  return own
end

-- From the labels as nginx has them: $host, the canary, the method, the status and four that the router says, of which the last is
-- a path and may hold anything. False for a host that is not counted.
local function new_labels(text)
  local host, canary, method, status, route = match(text, "^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
  host = host_label(host)
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

local function new_sums(text)
  local labels = labels_of[text]
  if labels == nil then
    labels = new_labels(text)
    labels_of[text] = labels
    labels_known = labels_known + 1
  end
  return labels and own_sums(labels)
end

-- A list of times, of several tries, is no number and is left out.
local function observe(added, i, text)
  local value = tonumber(text)
  if not value then
    return
  end
  local place = places[i]
  local at, bounds, count = place.at, place.bounds, #added
  added[count + 1], added[count + 2] = at, value
  added[count + 3], added[count + 4] = at + 1, 1
  for n = 1, #bounds do
    if value <= bounds[n] then
      added[count + 5], added[count + 6] = at + 1 + n, 1
      return
    end
  end
end

-- Pairs of a place and what one request with these values adds there.
local function new_additions(values)
  local time, response, header, connect, length, sent =
    match(values, "^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
  local added = {}
  observe(added, 1, time)
  observe(added, 2, response)
  observe(added, 3, header)
  observe(added, 4, connect)
  observe(added, 5, length)
  observe(added, 6, sent)
  observe(added, 7, sent)
  return added
end

local function add(text, times)
  local cut = find(text, "\n", 1, true)
  local values, labels = sub(text, 1, cut - 1), sub(text, cut + 1)
  local own = sums_of[labels]
  if own == nil then
    own = new_sums(labels)
    sums_of[labels] = own
  end
  if not own then
    return
  end
  local added = additions[values]
  if not added then
    added = new_additions(values)
    additions[values] = added
  end
  for i = 1, #added, 2 do
    local place = added[i]
    own[place] = (own[place] or 0) + added[i + 1] * times
  end
end

local function add_all()
  for text, times in pairs(texts) do
    add(text, times)
  end
  clear(texts)
  distinct = 0
end

function _M.run()
  -- what an auth service or a mirror was asked is no request of a client
  if not options or ngx.is_subrequest then
    return
  end
  local text = ngx.var.counted_request
  local times = texts[text]
  if times then
    texts[text] = times + 1
  else
    texts[text] = 1
    distinct = distinct + 1
    if distinct >= most_distinct then
      add_all()
    end
  end
  -- A worker that drains has no timers any more.
  if exiting() and ngx.now() - last >= 1 then
    _M.hand_over(true)
  end
end

-- Pairs of a place and what is to be added there, and after them the labels.
local function line_of(labels, own)
  local parts, count = {}, 0
  for at, value in pairs(own) do
    parts[count + 1], parts[count + 2] = at, value
    count = count + 2
  end
  return concat(parts, " ") .. "\t" .. labels .. "\n"
end

-- Everything is kept where the controller has not fetched for long, unless the worker is about to end.
function _M.hand_over(whatever)
  last = ngx.now()
  add_all()
  sums_of, additions = {}, {}
  local generation = store.generation()
  if generation ~= labels_generation or labels_known >= most_kept then
    labels_of, labels_known, labels_generation = {}, 0, generation
  end
  if kept == 0 or (not whatever and (handed:llen("sums") or 0) >= most_messages) then
    return
  end
  local lines, bytes, keys = {}, 0, {}
  local function send()
    if #lines > 0 and handed:rpush("sums", concat(lines)) then
      for _, labels in ipairs(keys) do
        sums[labels] = nil
        kept = kept - 1
      end
    end
    lines, bytes, keys = {}, 0, {}
  end
  for labels, own in pairs(sums) do
    local line = line_of(labels, own)
    lines[#lines + 1], keys[#keys + 1] = line, labels
    bytes = bytes + #line
    if bytes >= message_bytes then
      send()
    end
  end
  send()
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

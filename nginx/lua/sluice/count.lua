-- Counts requests for the metrics. nginx makes one text of each request (templates/lua.tmpl): its
-- values, and its labels on a line of their own. A request costs one lookup of that text among the
-- recent ones; some hundred texts are parsed at a time. Each worker adds up its own requests and
-- hands its sums over once a second. The controller keeps the totals. nginx keeps only the sums
-- that the controller has not fetched yet, up to a limit.
local additions = require("sluice.count.additions")
local counted = require("sluice.count.labels")
local new_places = require("sluice.places").new
local clear = require("table.clear")
local new_table = require("table.new")

local ngx = ngx
local concat = table.concat
local find = string.find
local match = string.match
local sub = string.sub
local exiting = ngx.worker.exiting
local handed = ngx.shared.sluice_counts

local _M = {}

-- Whether anything is counted.
local on = false

-- Counts by text, for texts that are not parsed yet.
local texts = {}
local distinct = 0
local most_distinct = 200

-- Counts since the last handover, by labels. A label set that came once keeps its values as text,
-- and one that came more often has sums. With many hosts most label sets come only once, and
-- writing sums is slow.
local sums = {}
local last = 0

-- The last failed request since then, by labels: its status and times.
local failed = {}

-- Limits for the time in which the controller fetches nothing: the sums stay here and go on adding
-- up. Namespaces share the places for label sets, so that a flood of one leaves some to the others.
local places = new_places(40000)
local most_messages = 160
local message_bytes = 32000

function _M.use(options)
  on = true
  counted.use(options)
  additions.use(options)
end

local other = "other" .. ("\tother"):rep(7)

-- The namespace is the fifth label.
local function namespace_of(labels)
  return match(labels, "^[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*\t([^\t]*)") or ""
end

-- Returns the sums for these labels, including those of a single request before. If their namespace
-- has too many label sets, it returns the sums of the label set "other".
local function own_sums(labels)
  if not sums[labels] and not places:take(namespace_of(labels), 1) then
    labels = other
  end
  local own = sums[labels]
  if type(own) == "table" then
    return own
  end
  local once = own
  own = new_table(additions.count(), 0)
  sums[labels] = own
  if once then
    additions.add(own, once, 1)
  end
  return own
end

local function add(text, times)
  local cut = find(text, "\n", 1, true)
  local values, named = sub(text, 1, cut - 1), sub(text, cut + 1)
  local labels = counted.of(named)
  if not labels then
    return
  end
  local status = match(named, "^[^\t]*\t[^\t]*\t[^\t]*\t(5%d%d)\t")
  if times == 1 and not sums[labels] and places:take(namespace_of(labels), 1) then
    sums[labels] = values
  else
    additions.add(own_sums(labels), values, times)
  end
  if status and sums[labels] then
    failed[labels] = status .. "\t" .. match(values, "^[^\t]*\t[^\t]*\t[^\t]*")
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
  -- Subrequests to auth services and mirrors are not requests of a client.
  if not on or ngx.is_subrequest then
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
  -- A draining worker runs no timers any more.
  if exiting() and ngx.now() - last >= 1 then
    _M.hand_over(true)
  end
end

-- Writes pairs of an index and the value to add there, and then the labels.
local function line_of(labels, own)
  if type(own) == "string" then
    return additions.text(own) .. "\t" .. labels .. "\n"
  end
  local parts, count = {}, 0
  for at, value in pairs(own) do
    parts[count + 1], parts[count + 2] = at, value
    count = count + 2
  end
  return concat(parts, " ") .. "\t" .. labels .. "\n"
end

-- All sums are kept while the controller does not fetch them, unless the worker is about to end.
function _M.hand_over(whatever)
  last = ngx.now()
  add_all()
  additions.forget()
  counted.renew()
  if not next(sums) or (not whatever and (handed:llen("sums") or 0) >= most_messages) then
    return
  end
  local lines, bytes, keys = {}, 0, {}
  local function send()
    if #lines > 0 and handed:rpush("sums", concat(lines)) then
      for _, labels in ipairs(keys) do
        sums[labels], failed[labels] = nil, nil
        if labels ~= other then
          places:give_back(namespace_of(labels), 1)
        end
      end
    end
    lines, bytes, keys = {}, 0, {}
  end
  for labels, own in pairs(sums) do
    local line = line_of(labels, own)
    if failed[labels] then
      line = "!" .. failed[labels] .. "\t" .. labels .. "\n" .. line
    end
    lines[#lines + 1], keys[#keys + 1] = line, labels
    bytes = bytes + #line
    if bytes >= message_bytes then
      send()
    end
  end
  send()
end

function _M.start()
  if on then
    ngx.timer.every(1, function(premature)
      _M.hand_over(premature)
    end)
  end
end

-- Returns one batch of counts and removes it. An empty answer is the end.
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

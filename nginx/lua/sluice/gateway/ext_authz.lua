-- Reads the answer of an auth service over gRPC (CheckResponse of Envoy's ext_authz). The result is
-- either `refused`, the answer to the client, or changes to the request and to its answer. A
-- message that cannot be applied is an error, and the request does not pass.
local protobuf = require("sluice.gateway.protobuf")
local headers = require("sluice.headers")

local count = protobuf.count
local last = protobuf.last
local message = protobuf.message
local messages = protobuf.messages

local _M = {}

-- Returns whether a header of this name may be changed. A text that cannot be a header's name is an
-- error.
local function is_free(name)
  if name:sub(1, 1) == ":" or headers.is_reserved(name) then
    return false
  end
  return assert(name:find("^[!#$%%&'*+.^_`|~%w-]+$") ~= nil, "a header has a name that is none")
end

-- Returns `{ name, value, how }` for each HeaderValueOption. `how` is its append_action, or follows
-- from the older field `append`. 0 adds a value, 1 sets the header only if it is absent, 2 sets
-- it always, and 3 sets it only if it is present.
local function changes(options, default)
  local all = {}
  for _, option in ipairs(options) do
    local pair = message(option, 1)
    local name, value = last(pair, 1), last(pair, 2) .. last(pair, 3)
    assert(not value:find("[%z\1-\8\10-\31\127]"), "a header has a value with control characters")
    if is_free(name) then
      local how = count(option, 3)
      if option[2] then
        how = count(message(option, 2), 1) == 1 and 0 or 2
      elseif how == 0 then
        how = default
      end
      all[#all + 1] = { name, value, how }
    end
  end
  return all
end

local function names(list)
  local all = {}
  for _, name in ipairs(list or {}) do
    if is_free(name) then
      all[#all + 1] = name
    end
  end
  return all
end

local function parameters(list)
  local all = {}
  for _, one in ipairs(list) do
    all[#all + 1] = { last(one, 1), last(one, 2) }
  end
  return all
end

local function refusal(response)
  local denied = message(response, 2)
  local status = count(message(denied, 1), 1)
  status = status == 0 and 403 or status
  -- A status of success is not allowed: a client would take the refusal for an answer.
  assert(status >= 300 and status <= 599, "it refuses with the status " .. status)
  return { refused = status, answers = changes(messages(denied, 2), 0), body = last(denied, 3) }
end

-- Reads the message. If the service leaves `append` unset, headers of requests are set, and
-- headers of answers are added, as Envoy does it.
function _M.of(text)
  local response = assert(protobuf.read(text), "it is no CheckResponse")
  if count(message(response, 1), 1) ~= 0 then
    return refusal(response)
  end
  assert((response[1] or response[3]) and not response[2], "it says neither yes nor no")
  local ok = message(response, 3)
  return {
    requests = changes(messages(ok, 2), 2),
    remove = names(ok[5]),
    answers = changes(messages(ok, 6), 0),
    query = parameters(messages(ok, 7)),
    unquery = ok[8],
  }
end

return _M

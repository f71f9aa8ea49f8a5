-- Decides which of a location's canaries takes a request, if any (RS-13.4 to 13.7). First an
-- affinity cookie decides: a client that is bound to an upstream stays there. Then a header
-- decides, then a cookie, then the weights. If several canaries may take the request, the oldest
-- one does. Weights are shares of all requests that nothing else decided, so two canaries of 20 %
-- get 20 % each.
local affinity = require("sluice.balance.affinity")
local regex = require("sluice.regex")
local store = require("sluice.store")

local _M = {}

-- The rules that can decide about a canary, in their order.
local header_rule, cookie_rule, weight_rule = 1, 2, 3

-- Reads the words `always` and `never` of a header or cookie. Returns true if the canary takes
-- the request, false if it does not, and nil if the word does not decide.
local function by_word(word)
  if word == "always" then
    return true
  elseif word == "never" then
    return false
  end
end

local function by_header(canary)
  local value = canary.header and ngx.var[canary.header]
  if not value then
    return nil
  end
  if canary.value then
    return value == canary.value or nil
  elseif canary.pattern then
    local takes, is_broken = regex.takes(regex.anywhere, value, canary.pattern)
    if takes == nil or is_broken then
      return false
    end
    return takes or nil
  end
  return by_word(value)
end

-- Returns the rule by which the canary may take the request; nil if a rule keeps the request
-- out.
local function rule_of(canary)
  local takes = by_header(canary)
  if takes ~= nil then
    return takes and header_rule or nil
  end
  takes = canary.cookie and by_word(ngx.var[canary.cookie])
  if takes ~= nil then
    return takes and cookie_rule or nil
  end
  return canary.share and weight_rule
end

-- Returns the id and record of the canary's upstream, or nil for the main one. A canary without
-- endpoints is skipped (RS-13.8).
function _M.choose(canaries, main, generation)
  if affinity.is_bound(main) then
    return nil
  end
  local best, id, record
  local draw, reached = nil, 0
  for i = 1, #canaries do
    local canary = canaries[i]
    local upstream = store.get("upstream", canary.upstream, generation)
    if upstream and #upstream.endpoints > 0 then
      if affinity.is_bound(upstream) then
        return canary.upstream, upstream
      end
      local rule = rule_of(canary)
      if rule == weight_rule then
        draw = draw or math.random()
        reached = reached + canary.share
        rule = draw < reached and rule or nil
      end
      if rule and (not best or rule < best) then
        best, id, record = rule, canary.upstream, upstream
      end
    end
  end
  return id, record
end

return _M

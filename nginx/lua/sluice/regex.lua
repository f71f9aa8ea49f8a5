-- Matches patterns that tenants wrote with texts that clients sent. All matches of a request share
-- one budget, so no pattern and no number of patterns keeps a worker busy.
--
-- PCRE counts steps: an iteration, a repetition, an alternative that matched. It gives up after a
-- number that a verb at the front of the pattern states. But it counts anew at each place where a
-- match may begin, and one step may look at the whole text. So each pattern here begins at the
-- first character; one that may match anywhere begins with a lazy `.*?`. And a step costs as much
-- as the text and the pattern are long. A pattern begins with few steps and gets more of them only
-- if it needs more. It pays for all that it was granted, because PCRE does not tell what it used.
local find = string.find
local floor = math.floor
local gmatch = string.gmatch
local lower = string.lower
local match = string.match
local max = math.max
local min = math.min
local re_find = ngx.re.find
local re_match = ngx.re.match
local sub = string.sub
local tonumber = tonumber
local clock = os.clock

local _M = {}

-- The budget of a request. Looking at one character costs 1; it takes at most half a nanosecond.
local most = 2 ^ 25
_M.most = most

-- The longest text that is compared with a pattern. Where a pattern may match anywhere, the budget
-- ends at texts of half this length.
local longest = 8000

-- The steps that an ordinary pattern needs, and the factor by which it gets more. Few different
-- numbers make few compiled patterns.
local fewest, more = 16, 16

-- lua_regex_match_limit permits no more.
local most_steps = 4 ^ 9

-- What a nanosecond of compiling costs.
local per_second = 1e9

local left = most

-- The number of budgets so far. Code that keeps a part of a request may use it as its name: routing
-- never waits, so a worker routes one request at a time.
_M.number = 0

-- What is left of the budget for further namespaces, what each namespace has left, and the one that
-- spends now.
local pool, shares, spender

-- Starts the budget of a request, or of a part of it that has only `steps`. Matching never waits,
-- so one budget for each worker is enough.
function _M.begin(steps)
  left = steps or most
  shares = nil
  _M.number = _M.number + 1
end

-- Makes a namespace spend from now on: half of what no namespace has yet, so that the patterns of
-- one leave steps for those of all others.
function _M.share(namespace)
  namespace = namespace or ""
  if not shares then
    pool, shares = left, {}
  elseif namespace == spender then
    return
  else
    shares[spender] = left
  end
  spender, left = namespace, shares[namespace]
  if not left then
    left = floor(pool / 2)
    pool = pool - left
  end
end

-- Charges work beside patterns. Returns whether the budget suffices.
function _M.charge(steps)
  left = left - steps
  return left >= 0
end

-- Returns what is left, and the number of the budget. It may be less than nothing, because
-- compiling is charged when it is done.
function _M.rest()
  return left, _M.number
end

function _M.go_on_with(rest, number)
  left, shares, _M.number = rest, nil, number
end

-- The ways to match: at the beginning of the text and as a whole, anywhere, with and without regard
-- to case. A pattern for a whole text has its own `\z`. Each keeps what it knows of each pattern.
local function way(options, is_anywhere)
  return { options = options, is_anywhere = is_anywhere, known = {} }
end
_M.beginning = way("ijoa")
_M.whole = way("joa")
_M.anywhere = way("joa", true)
_M.anywhere_in_any_case = way("ijoa", true)

-- The most patterns that a worker remembers. nginx keeps more compiled forms
-- (lua_regex_cache_max_entries); beyond that it compiles a pattern for each request.
local most_known, known_patterns = 16000, 0

-- Returns the place behind a set of characters.
local function behind_set(pattern, at)
  at = match(pattern, "^%[%^?%]?()", at)
  while at <= #pattern do
    local sign = sub(pattern, at, at)
    if sign == "]" then
      return at + 1
    end
    at = match(pattern, "^%[:%^?%w+:%]()", at) or (sign == "\\" and at + 2 or at + 1)
  end
  return at
end

-- Returns how many characters a pattern may look at between two steps, beside a run through the
-- text: the characters that it consists of, as often as they are repeated a fixed number of times.
-- A reference to a group may compare a whole text.
local function weight_of(pattern)
  if find(pattern, "\\[QE]") or find(pattern, "(?#", 1, true) or find(pattern, "%(%?[%a^-]*x") then
    -- These change what brackets mean. Such a pattern gets the most that its numbers can make.
    local weight = #pattern * (find(pattern, "\\[1-9gk]") and longest or 1)
    for number in gmatch(pattern, "[{,](%d+)") do
      weight = weight * max(1, tonumber(number))
    end
    return weight
  end
  local outer, sum, last, at = {}, 0, 0, 1
  while at <= #pattern do
    local sign = sub(pattern, at, at)
    local least, most_times, behind = match(pattern, "^{(%d+),?(%d*)}()", at)
    if least then
      local times = max(1, tonumber(most_times) or tonumber(least))
      sum, last, at = sum + last * (times - 1), last * times, behind
    elseif sign == "(" then
      outer[#outer + 1] = sum
      sum, last, at = find(pattern, "^%(%?P=", at) and longest or 1, 0, at + 1
    elseif sign == ")" then
      last, at = sum, at + 1
      sum = (outer[#outer] or 0) + sum
      outer[#outer] = nil
    else
      last = sign == "\\" and find(pattern, "^[1-9gk]", at + 1) and longest or 1
      at = sign == "[" and behind_set(pattern, at) or sign == "\\" and at + 2 or at + 1
      sum = sum + last
    end
  end
  while #outer > 0 do
    sum, outer[#outer] = sum + outer[#outer], nil
  end
  return sum
end

_M.weight_of = weight_of

-- Returns the text with which each match at the beginning of a text begins, in lower case: the
-- plain characters at the front of a pattern without alternatives.
local function plain_beginning(pattern)
  if find(pattern, "|", 1, true) then
    return nil
  end
  local plain, next_sign = match(pattern, "^%^([%w/_-]+)(.?)")
  if plain and find(next_sign, "[?*+{]") then
    plain = sub(plain, 1, -2)
  end
  return plain and plain ~= "" and lower(plain) or nil
end

local function learn(way, pattern)
  local is_anywhere = way.is_anywhere and not (find(pattern, "^%^") and not find(pattern, "|", 1, true))
  local known = {
    is_anywhere = is_anywhere,
    -- The comment ends the verbs at the front, so the author of a pattern can add none.
    before = is_anywhere and ")(?#)(?s:.*?)(?:" or ")(?#)",
    after = is_anywhere and ")" or "",
    weight = weight_of(pattern),
    -- `\X` takes many times as long as any other character.
    factor = find(pattern, "\\X", 1, true) and 8 or 1,
    plain = way == _M.beginning and plain_beginning(pattern) or nil,
    forms = {},
  }
  if known_patterns < most_known then
    way.known[pattern] = known
    known_patterns = known_patterns + 1
  end
  return known
end

-- Returns the largest power of four up to a number.
local function rounded_down(number)
  local power = 1
  while power * 4 <= number do
    power = power * 4
  end
  return power
end

-- The last text, and the same in lower case.
local last_text, last_lower

local function begins_with(text, plain)
  if text ~= last_text then
    last_text, last_lower = text, lower(text)
  end
  return sub(last_lower, 1, #plain) == plain
end

-- Returns what `run` found, or false, and nil if the pattern ran out of steps. The second result
-- says that the pattern does not compile.
local function try(run, way, text, pattern, known, steps, tried)
  local each = (#text + known.weight) * known.factor
  local granted = min(floor(left / each), most_steps)
  if granted < steps then
    steps = granted < 1 and 0 or rounded_down(granted)
  end
  if steps <= tried then
    ngx.log(ngx.WARN, "the pattern ", pattern, " takes too many steps")
    return nil
  end
  left = left - steps * each
  local form, began = known.forms[steps], nil
  if not form then
    form = "(*LIMIT_MATCH=" .. steps .. known.before .. pattern .. known.after
    known.forms[steps] = form
    began = clock()
  end
  local found, why = run(text, form, way.options)
  if began then
    left = left - (clock() - began) * per_second
  end
  if found then
    return found
  elseif not why then
    return false
  elseif find(why, "compile", 1, true) then
    ngx.log(ngx.WARN, "the pattern ", pattern, " takes nothing: ", why)
    known.is_broken = true
    return false, true
  elseif find(why, "-8$") or find(why, "-47$") then
    -- PCRE and PCRE2 give these numbers to their limits of steps.
    return try(run, way, text, pattern, known, steps * more, steps)
  end
  ngx.log(ngx.WARN, "the pattern ", pattern, ": ", why)
  return nil
end

local function look(run, way, text, pattern)
  local known = way.known[pattern] or learn(way, pattern)
  if known.is_broken then
    return false, true
  elseif known.plain and not begins_with(text, known.plain) then
    -- Most patterns of a host end here.
    left = left - 100
    if left < 0 then
      return nil
    end
    return false
  elseif #text > longest then
    ngx.log(ngx.WARN, "a text of ", #text, " bytes is too long for the pattern ", pattern)
    return nil
  elseif not known.is_anywhere then
    return try(run, way, text, pattern, known, fewest, 0)
  end
  -- One step for each place where the match may begin.
  local steps = 4 * rounded_down(#text + fewest)
  return try(run, way, text, pattern, known, steps, #text)
end

local function find_once(text, form, options)
  local from, _, why = re_find(text, form, options)
  return from, why
end

-- Returns whether the pattern takes the text; nil if that could not be found out. The caller must
-- then do what is safe: the owner of a path is unknown, and the next one may have fewer guards. The
-- second result says that the pattern does not compile, so that it takes nothing.
function _M.takes(way, text, pattern)
  local found, is_broken = look(find_once, way, text, pattern)
  return found and true or found, is_broken
end

-- Does the same, but returns the groups.
function _M.groups(way, text, pattern)
  return look(re_match, way, text, pattern)
end

return _M

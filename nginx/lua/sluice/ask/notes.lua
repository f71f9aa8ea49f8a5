-- Records what the copy of the router finds out, by functions that are wrapped around the router's
-- own.
local _M = {}

local function index_of(list, item)
  for at, one in ipairs(list) do
    if one == item then
      return at
    end
  end
end

-- Returns the groups of a pattern as a list, the whole match first. A group that took no part is
-- empty.
local function groups_of(found)
  local list = { found[0] }
  for at = 1, #found do
    list[at + 1] = found[at] or ""
  end
  return list
end

-- The largest draw, and the smallest share that is reported.
local last_draw, smallest = 1 - 2 ^ -40, 2 ^ -30
_M.last_draw = last_draw

-- Returns each choice that `choose` may make, with its probability. Each choice takes a range of
-- draws, which begins where the one before it ends; `width` returns the length of a range.
local function shares(noted, choose, width)
  local all, at, before = {}, 0, noted.draw
  noted.draw = last_draw
  local last = choose()
  while at < last_draw do
    noted.draw = at
    local chosen = choose()
    local share = chosen == last and 1 - at or width(chosen, at)
    if share > 0 then
      table.insert(all, { chosen = chosen, share = share })
    end
    at = at + math.max(share, smallest)
  end
  noted.draw = before
  return all
end

-- Returns the first condition of a route that fails.
local function unfulfilled(hold, choice)
  if choice.method and not hold({ method = choice.method }) then
    return { part = "method" }
  elseif choice.call and not hold({ call = {} }) then
    return { part = "call" }
  end
  for _, part in ipairs({ "call", "headers", "query" }) do
    for _, one in ipairs(choice[part] or {}) do
      if not hold({ [part] = { one } }) then
        return { part = part, name = one[1] }
      end
    end
  end
end

local function watch_ingresses(state, copied)
  local match, forms, canary = copied("sluice.route.match"), copied("sluice.route.forms"), copied("sluice.canary")
  local host_of, path_of, served, choose = match.host, match.path, forms.served, canary.choose

  function forms.served(name, ...)
    local record = served(name, ...)
    if record then
      state.noted.names[record] = name
    end
    return record
  end

  function match.host(host, ...)
    local record, tls, is_catch_all = host_of(host, ...)
    local noted = state.noted
    noted.ingress = { host = record and (record.to or noted.names[record]) or nil }
    return record, tls, is_catch_all
  end

  function match.path(record, uri)
    local location, route, groups, slash = path_of(record, uri)
    local ingress = state.noted.ingress
    if location then
      ingress.location = index_of(record.locations, location)
      ingress.pattern = route and index_of(record.regex, route)
      ingress.slash = slash ~= nil or nil
      ingress.groups = groups and groups_of(groups)
    end
    return location, route, groups, slash
  end

  function canary.choose(canaries, main, generation)
    local noted = state.noted
    noted.shares = shares(noted, function()
      return (choose(canaries, main, generation))
    end, function(id, at)
      for _, each in ipairs(canaries) do
        if each.upstream == id and each.share then
          return math.min(each.share, 1 - at)
        end
      end
      return 1 - at
    end)
  end
end

local function watch_gateways(state, copied)
  local gateway = copied("sluice.gateway")
  local scopes, paths = copied("sluice.gateway.scope"), copied("sluice.gateway.paths")
  local conditions, backends = copied("sluice.gateway.conditions"), copied("sluice.gateway.backends")
  local scope_of, listener_of, find, hold, choose =
    scopes.of, scopes.listener, paths.find, conditions.hold, backends.choose

  local target_of = gateway.target_beside

  -- The result is false if the request belongs to an Ingress.
  function gateway.target_beside(slot)
    local target, upstream = target_of(slot)
    state.noted.is_gateway = target ~= false
    return target, upstream
  end

  local function address()
    return state.asked.address or ""
  end

  function scopes.of(port, _, generation)
    state.noted.gateway, state.noted.lost = {}, {}
    return scope_of(port, address, generation)
  end

  -- The first call looks for the host of the request, the later ones for that of the handshake.
  function scopes.listener(...)
    local listener, known = listener_of(...)
    state.noted.listener = state.noted.listener or listener
    return listener, known
  end

  function paths.find(record, uri, alone)
    local noted = state.noted
    noted.record = record
    local location = find(record, uri, alone)
    if location and location ~= paths.namesake then
      noted.gateway.host = noted.names[record]
      noted.gateway.location = index_of(record.locations, location)
      noted.gateway.share = location.share
    end
    return location
  end

  function conditions.hold(choice)
    local held = hold(choice)
    if held == false then
      local noted = state.noted
      local why = unfulfilled(hold, choice) or {}
      why.host, why.location = noted.names[noted.record], choice.location
      table.insert(noted.lost, why)
    end
    return held
  end

  function backends.choose(list)
    local noted = state.noted
    noted.shares = shares(noted, function()
      return choose(list)
    end, function(backend, at)
      return backend.upTo - at
    end)
    return noted.shares[1].chosen
  end
end

function _M.watch(state, copied)
  watch_ingresses(state, copied)
  watch_gateways(state, copied)
end

return _M

-- Determines the route and backend of a request without serving it. The controller sends a request
-- with the same host, path, query and headers; its body has the rest of the question as JSON. The
-- answer names hosts, locations and endpoints. It contains nothing that only the request or a
-- Secret holds.
local channel = require("sluice.channel")
local cjson = require("cjson.safe")
local copy = require("sluice.ask.copy")
local notes = require("sluice.ask.notes")
local route = require("sluice.route")
local store = require("sluice.store")
local world = require("sluice.ask.world")

local sub = string.sub

local _M = {}

local state = {}
-- The `require` function of the copy. The first question makes the copy.
local copied

-- Variables of the router that go into the answer. None of them is a header, and none holds text
-- that the author of an Ingress wrote.
local answered = {
  "route_answer", "route_app_root", "route_elsewhere", "route_location", "route_loops", "route_rewritten",
  "route_slash", "route_tls", "route_too_large", "route_unserved", "s_to", "uri",
}

-- The answer lists at most this many endpoints and counts the others.
local most_endpoints = 200

local function begin(draw)
  state.noted = { set = {}, names = {}, pairs = {}, gateway = {}, ingress = {}, draw = draw or 0 }
  return state.noted
end

local function prepare()
  local environment, modules = world.environment(state), world.modules(state)
  copied = copy.of(environment, modules)
  local router = copied("sluice.route")
  router.own(route.own_paths or {})
  setmetatable(router.shapes_of, { __index = route.shapes_of })
  notes.watch(state, copied)
end

-- The server block that nginx takes for the host: its own if it has one, which only hosts of
-- Ingresses have.
local function server_of(asked)
  if not asked.shared then
    return asked.slot, copied("sluice.gateway")
  end
  local noted = begin()
  copied("sluice.route.match").host(ngx.var.host, store.generation())
  local name = noted.ingress.host
  if name and name ~= asked.slot and route.shapes_of[name] then
    return name, copied("sluice.route")
  end
  return asked.slot, copied(package.loaded["sluice.gateway.beside"] and "sluice.gateway.beside" or "sluice.route")
end

-- Returns the meaning of a location's name: a fixed word for the locations that each server has,
-- else the shape.
local function meaning(target)
  for word, name in pairs(copied("sluice.route").names) do
    if name == target then
      return word
    end
  end
  for _, one in ipairs(route.own_paths or {}) do
    if one[2] == target then
      return "own"
    end
  end
  return "shape", target
end

local function endpoints_of(id)
  local upstream = store.get("upstream", id, store.generation())
  local all = upstream and upstream.endpoints or {}
  return { list = #all > 0 and { unpack(all, 1, most_endpoints) } or nil, count = #all }
end

local function upstreams_of(noted)
  local main = noted.set.s_to
  local found = {}
  for _, one in ipairs(noted.shares or { { share = 1 } }) do
    local backend = type(one.chosen) == "table" and one.chosen or { upstream = one.chosen }
    local id = backend.upstream or main
    if id then
      table.insert(found, { upstream = id, share = one.share, endpoints = endpoints_of(id) })
    end
  end
  return #found > 0 and found or nil
end

-- Runs the router with the random number `draw` and returns its decision.
local function routed(asked, draw)
  local slot, router = server_of(asked)
  local noted, regex = begin(draw), copied("sluice.regex")
  regex.begin()
  local target, upstream = router.target(slot)
  noted.set.s_to = upstream
  local outcome, shape = meaning(target)
  local set = {}
  for _, name in ipairs(answered) do
    set[name] = noted.set[name]
  end
  local is_gateway = not asked.shared or noted.is_gateway
  local listener = noted.listener
  local answer = is_gateway and noted.gateway or noted.ingress
  answer.by = is_gateway and "gateway" or "ingress"
  answer.outcome = outcome
  answer.shape = shape and sub(ngx.md5(shape), 1, 12) or nil
  answer.listener = listener and listener.id or nil
  answer.lost = noted.lost and #noted.lost > 0 and noted.lost or nil
  answer.upstreams = outcome == "shape" and upstreams_of(noted) or nil
  answer.set = set
  answer.steps = regex.most - regex.rest()
  return answer
end

-- Returns the ids of the key pairs that the client gets, or nil if the handshake fails.
local function shown(asked)
  local noted = begin()
  if not asked.shared then
    copied("sluice.gateway.certificate").run(asked.rejects)
  elseif package.loaded["sluice.gateway.certificate"] then
    copied("sluice.gateway.certificate").beside(asked.rejects)
  else
    copied("sluice.certificate").run(asked.rejects)
  end
  return not noted.exit and noted.pairs or nil
end

function _M.serve()
  ngx.req.read_body()
  local asked = cjson.decode(channel.body())
  if not asked then
    return ngx.exit(400)
  end
  if not copied then
    prepare()
  end
  state.asked = asked
  local answer = routed(asked)
  if asked.shared and answer.by == "gateway" and answer.share then
    -- A route that takes a share of the requests leaves the largest draw to the Ingress.
    local rest = routed(asked, notes.last_draw)
    answer.rest = rest.by == "ingress" and rest or nil
  end
  answer.pairs = asked.tls and shown(asked) or nil
  ngx.header["Content-Type"] = "application/json"
  ngx.print(cjson.encode(answer))
end

return _M

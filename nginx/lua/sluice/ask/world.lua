-- A stand-in for nginx, given to the copy of the router. It has the variables and headers of the
-- request that a question is about, and the records as they are; its connections do nothing.
-- `state.asked` is the question, and `state.noted` collects what the router did.
local store = require("sluice.store")
local underscores = require("sluice.underscores")

local ngx = ngx
local sub = string.sub
local tostring = tostring

local _M = {}

-- The path of a question is this prefix, followed by the path that the question is about.
local prefix = "/ask"

-- Variables whose value begins with the path.
local paths = { uri = true, document_uri = true, request_uri = true }

-- Looks a variable up in three places: among those that the router has set; among those of the
-- question, where false means that there is none; and in the request that brought the question,
-- which has the same host, path, query and headers.
local function variables(state)
  return setmetatable({}, {
    __index = function(_, name)
      local value = state.noted.set[name]
      if value ~= nil then
        return value
      end
      value = state.asked.variables[name]
      if value ~= nil then
        return value or nil
      end
      value = ngx.var[name]
      return value and paths[name] and sub(value, #prefix + 1) or value
    end,
    __newindex = function(_, name, value)
      state.noted.set[name] = value ~= nil and tostring(value) or nil
    end,
  })
end

local function done()
  return true
end

local function same(value)
  return value
end

-- Replaces the TLS handshake: key pairs are not read, so no private key is touched.
local function handshakes(state)
  return {
    server_name = function()
      return state.asked.variables.ssl_server_name or nil
    end,
    server_port = function()
      return state.asked.variables.server_port
    end,
    parse_pem_cert = same,
    parse_pem_priv_key = same,
    clear_certs = done,
    set_cert = done,
    set_priv_key = done,
  }
end

-- Notes the name by which a host was found, and the pairs that were taken.
local function watched_store(state)
  return setmetatable({
    get = function(sort, name, generation)
      local record = store.get(sort, name, generation)
      if record and sort == "host" then
        state.noted.names[record] = name
      elseif record and sort == "pair" then
        table.insert(state.noted.pairs, name)
      end
      return record
    end,
  }, { __index = store })
end

function _M.environment(state)
  local request = setmetatable({
    is_internal = function()
      return false
    end,
    -- The question has the headers of the request that it is about.
    set_header = done,
    set_uri = function(uri)
      state.noted.set.uri = uri
    end,
  }, { __index = ngx.req })
  local nginx = setmetatable({
    var = variables(state),
    req = request,
    log = done,
    exit = function(code)
      state.noted.exit = code
    end,
  }, { __index = ngx })
  local drawn = setmetatable({
    random = function()
      return state.noted.draw
    end,
  }, { __index = math })
  return { ngx = nginx, math = drawn }
end

function _M.modules(state)
  return {
    ["sluice.store"] = watched_store(state),
    ["ngx.ssl"] = handshakes(state),
    ["ngx.ocsp"] = { set_ocsp_status_resp = done },
    -- Questions do not count as requests, neither for routes in shadow nor for metrics.
    ["sluice.gateway.shadow"] = { observe = done },
    ["sluice.underscores"] = underscores,
  }
end

return _M

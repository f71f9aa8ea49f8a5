-- What the copy of the router takes for nginx: variables and headers of the request that a question
-- is about, records as they are, and connections that begin nothing. `state.asked` is the question,
-- `state.noted` what was seen.
local store = require("sluice.store")

local ngx = ngx
local sub = string.sub
local tostring = tostring

local _M = {}

-- What the path of the request asked about stands behind.
local prefix = "/ask"

-- Variables that are paths.
local paths = { uri = true, document_uri = true, request_uri = true }

-- Those that were set; then those that the question says, where false stands for none; then those
-- of the request that brought the question, which has the same host, path, query and headers.
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

-- A handshake: pairs are not read, so no key is looked at.
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

-- Notes by which name a host was found, and which pairs were taken.
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
    -- Questions are no requests that are compared and counted.
    ["sluice.gateway.shadow"] = { observe = done },
  }
end

return _M

-- Chooses the certificate of the listener that the handshake names. A port of Gateways never shows
-- the certificate of another scope; a name that no listener has gets the default certificate.
local certificate = require("sluice.certificate")
local scopes = require("sluice.gateway.scope")
local ssl = require("ngx.ssl")
local store = require("sluice.store")

local byte = string.byte
local concat = table.concat
local find = string.find
local format = string.format
local gsub = string.gsub
local lower = string.lower
local sub = string.sub

local _M = {}

local default = { "default" }

-- Returns the address that the client connected to, as the controller writes it: an IPv6 address
-- comes as eight groups.
local function server_address()
  local raw, kind = ssl.raw_server_addr()
  if kind == "inet" then
    return format("%d.%d.%d.%d", byte(raw, 1, 4))
  elseif kind == "unix" then
    -- The connection came through the stream module.
    return "unix:" .. raw
  elseif kind ~= "inet6" then
    return ""
  end
  local groups, from, length = {}, nil, 1
  for at = 1, 8 do
    local high, low = byte(raw, 2 * at - 1, 2 * at)
    groups[at] = high * 256 + low
  end
  -- As usual, `::` replaces the longest run of two or more zero groups.
  local at = 1
  while at <= 8 do
    local run = 0
    while at + run <= 8 and groups[at + run] == 0 do
      run = run + 1
    end
    if run > length then
      from, length = at, run
    end
    at = at + (run > 0 and run or 1)
  end
  for index = 1, 8 do
    groups[index] = format("%x", groups[index])
  end
  if not from then
    return concat(groups, ":")
  end
  return concat(groups, ":", 1, from - 1) .. "::" .. concat(groups, ":", from + length, 8)
end

-- Returns the listener for the server name of the handshake, the hostname that matched (the name
-- itself or a wildcard), and the name.
local function named(generation)
  local name = ssl.server_name()
  local asked = name and gsub(lower(name), "%.$", "") or ""
  local scope = scopes.of(ssl.server_port() or "", server_address, generation)
  if not scope then
    return nil, nil, asked
  end
  local listener, known = scopes.listener(scope, asked)
  return listener, known, asked
end

-- Returns the key pairs for the name. If the listener has several certificates, the one with the
-- name itself comes first, then one with the wildcard one label above.
local function pairs_for(listener, name)
  local own = listener.named
  if not own then
    return listener.pairs
  end
  local dot = find(name, ".", 1, true)
  return own[name] or dot and own["*" .. sub(name, dot)] or listener.pairs
end

-- With `rejects`, the handshake ends for a name that no listener has (ssl-reject-handshake).
function _M.run(rejects)
  local generation = store.generation()
  local listener, _, name = named(generation)
  if listener then
    certificate.show(pairs_for(listener, name), generation)
  elseif rejects and name ~= "" then
    return ngx.exit(ngx.ERROR)
  else
    certificate.show(default, generation)
  end
end

-- Runs on a port that Ingresses use, too. If an Ingress has a more specific name than the
-- listener, its certificate is used. If the listener has no certificate, the host of an Ingress
-- keeps its own.
function _M.beside(rejects)
  local generation = store.generation()
  local listener, known, name = named(generation)
  if not listener then
    return certificate.run(rejects)
  end
  -- If an Ingress is preferred to the listener, its certificate is used for an equal hostname,
  -- too.
  known = not listener.yields and known or nil
  if certificate.has_own(name, known) or not listener.pairs and certificate.is_known(name) then
    return certificate.run()
  end
  certificate.show(pairs_for(listener, name), generation)
end

return _M

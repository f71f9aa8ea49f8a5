-- The certificates of the listener that the handshake names. A port of Gateways never shows the
-- certificates of another scope; a name that no listener takes gets the default one.
local certificate = require("sluice.certificate")
local scopes = require("sluice.gateway.scope")
local ssl = require("ngx.ssl")
local store = require("sluice.store")

local byte = string.byte
local concat = table.concat
local format = string.format
local gsub = string.gsub
local lower = string.lower

local _M = {}

local default = { "default" }

-- The address that the client connected to, as nginx writes it: eight groups of an IPv6 address
-- become one text in the form that the controller writes, too.
local function server_address()
  local raw, kind = ssl.raw_server_addr()
  if kind == "inet" then
    return format("%d.%d.%d.%d", byte(raw, 1, 4))
  elseif kind ~= "inet6" then
    return ""
  end
  local groups, from, length = {}, nil, 1
  for at = 1, 8 do
    local high, low = byte(raw, 2 * at - 1, 2 * at)
    groups[at] = high * 256 + low
  end
  -- The longest run of zeros, of two or more, is left out.
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

-- The listener that the handshake names, what of the name its hostname names, and the name itself.
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

-- With `rejects`, a name that no listener takes ends the handshake (ssl-reject-handshake).
function _M.run(rejects)
  local generation = store.generation()
  local listener, _, name = named(generation)
  if listener then
    certificate.show(listener.pairs, generation)
  elseif rejects and name ~= "" then
    return ngx.exit(ngx.ERROR)
  else
    certificate.show(default, generation)
  end
end

-- On a port that Ingresses have, too: a name that one of them knows more exactly has its
-- certificate. A host of an Ingress goes on being served where the listener has no certificate.
function _M.beside(rejects)
  local generation = store.generation()
  local listener, known, name = named(generation)
  if not listener then
    return certificate.run(rejects)
  end
  -- An Ingress that comes before the listener has the certificate of its very hostname, too.
  known = not listener.yields and known or nil
  if certificate.has_own(name, known) or not listener.pairs and certificate.is_known(name) then
    return certificate.run()
  end
  certificate.show(listener.pairs, generation)
end

return _M

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

-- With `rejects`, a name that no listener takes ends the handshake (ssl-reject-handshake).
function _M.run(rejects)
  local generation = store.generation()
  local port = ssl.server_port()
  local scope = port and scopes.of(port, server_address, generation)
  local name = ssl.server_name()
  local listener = scope and scopes.listener(scope, name and gsub(lower(name), "%.$", "") or "")
  if rejects and name and not listener then
    return ngx.exit(ngx.ERROR)
  end
  certificate.show(listener and listener.pairs, generation)
end

-- On a port that Ingresses have, too: a name of theirs has its own certificate.
function _M.beside(rejects)
  local generation = store.generation()
  local scope = scopes.of(ssl.server_port() or "", server_address, generation)
  local name = ssl.server_name()
  name = name and gsub(lower(name), "%.$", "") or ""
  local listener = scope and scopes.listener(scope, name)
  if not listener or not listener.pairs or store.get("host", name, generation) then
    return certificate.run(rejects and not listener)
  end
  certificate.show(listener.pairs, generation)
end

return _M

-- Chooses the key pairs of a handshake by its server name (SNI). A listener has pairs for its
-- hostname; the hosts of the port itself have one for the exact name, or for the wildcard one label
-- above (RS-10.5). A name that none of them has gets the default pair. So no port shows a
-- certificate of another scope.
local ssl = require("ngx.ssl")
local ocsp = require("ngx.ocsp")
local records = require("sluice.journal").records
local scopes = require("sluice.route.listeners")
local store = require("sluice.store")

local _M = {}

local default = { "default" }

-- Returns the address that the client connected to, as the controller writes it: an IPv6 address
-- comes as eight groups.
local function server_address()
  local raw, kind = ssl.raw_server_addr()
  if kind == "inet" then
    return string.format("%d.%d.%d.%d", raw:byte(1, 4))
  elseif kind == "unix" then
    -- The connection came through the stream module.
    return "unix:" .. raw
  elseif kind ~= "inet6" then
    return ""
  end
  local groups = {}
  for at = 1, 15, 2 do
    groups[#groups + 1] = string.format("%x", raw:byte(at) * 256 + raw:byte(at + 1))
  end
  local text = ":" .. table.concat(groups, ":") .. ":"
  -- As usual, `::` replaces the longest run of two or more zero groups.
  for length = 8, 2, -1 do
    local from, to = text:find((":0"):rep(length) .. ":", 1, true)
    if from then
      text = text:sub(1, from - 1) .. "::" .. text:sub(to + 1)
      break
    end
  end
  return (text:gsub("^:([^:])", "%1"):gsub("([^:]):$", "%1"))
end

-- Returns what follows the first label of the name, or nil.
local function above(name)
  local dot = name:find(".", 1, true)
  return dot and name:sub(dot)
end

-- Returns the port's own record of this kind for the name: the record of the name itself, or that
-- of the wildcard one label above. The second result is the part of the name that it names.
local function own(kind, name)
  local record = records:get(kind .. name)
  if record then
    return record, name
  end
  local parent = above(name)
  return parent and records:get(kind .. "*" .. parent), parent
end

-- Returns the listener for the name, and the part of the name that its hostname names: the name
-- itself, or `.example.com` for a wildcard.
local function listener_of(name, generation)
  local scope = scopes.scope(ssl.server_port() or "", server_address, generation)
  if scope then
    return scopes.listener(scope, name)
  end
end

-- Returns the pairs of a listener for the name. If it has several certificates, the one with the
-- name itself comes first, then one with the wildcard one label above.
local function pairs_for(listener, name)
  local named = listener.named
  if not named then
    return listener.pairs
  end
  local parent = above(name)
  return named[name] or parent and named["*" .. parent] or listener.pairs
end

-- Returns whether the host of an Ingress keeps its certificate on the listener's port. It does so
-- if its name is more specific than the listener's, if the listener yields an equal name to it, or
-- if the listener has no certificate.
local function keeps_own(name, listener, known)
  known = not listener.yields and known or nil
  local pair, covered = own("sni ", name)
  return pair and known ~= name and known ~= covered or not listener.pairs and own("host ", name)
end

-- Returns the key pair in OpenSSL's form. This form replaces the text in the decoded record, so it
-- is dropped together with the record.
local function parsed(pair)
  if type(pair.chain) ~= "string" then
    return pair
  end
  local chain, chain_problem = ssl.parse_pem_cert(pair.chain)
  local key, key_problem = ssl.parse_pem_priv_key(pair.key)
  if not chain or not key then
    ngx.log(ngx.ERR, "a certificate could not be parsed: ", chain_problem or key_problem)
    return nil
  end
  pair.chain, pair.key = chain, key
  return pair
end

-- Staples the answer of the issuer's OCSP responder if the controller has one. OpenSSL sends it
-- to clients that request it.
local function staple(fingerprint, generation)
  local answer = store.get("staple", fingerprint, generation)
  if not answer then
    return
  end
  local ok, problem = ocsp.set_ocsp_status_resp(ngx.decode_base64(answer))
  if not ok then
    ngx.log(ngx.ERR, "an OCSP answer could not be stapled: ", problem)
  end
end

-- Sets this key pair and returns whether that worked. With `beside`, it is added to the pairs that
-- were set before, whose keys have other types.
local function set(pair, beside)
  pair = pair and parsed(pair)
  if not pair then
    return false
  end
  if not beside then
    ssl.clear_certs()
  end
  local ok, problem = ssl.set_cert(pair.chain)
  if ok then
    ok, problem = ssl.set_priv_key(pair.key)
  end
  if not ok then
    ngx.log(ngx.ERR, "a certificate could not be set: ", problem)
  end
  return ok
end

-- Sets these key pairs, one for each type of key. Returns whether one of them can be used.
local function show(ids, generation)
  local shown
  for i = 1, ids and #ids or 0 do
    local pair = store.get("pair", ids[i], generation)
    if set(pair, shown) then
      shown = shown or pair
    end
  end
  if shown then
    staple(shown.fingerprint, generation)
  end
  return shown ~= nil
end

local function server_name()
  return (string.gsub(string.lower(ssl.server_name() or ""), "%.$", ""))
end

-- Runs on a port of Ingresses. With `rejects`, the handshake ends for a name that no host has
-- (ssl-reject-handshake).
function _M.run(rejects)
  local name = server_name()
  if rejects and not own("host ", name) then
    return ngx.exit(ngx.ERROR)
  end
  local generation = store.generation()
  -- If the host has no pair, or OpenSSL refuses it, the default pair keeps the host reachable.
  -- Before the records are known, no certificate is better than a wrong one.
  if not show({ own("sni ", name) or "default" }, generation) and not show(default, generation) then
    return store.is_filled() or ngx.exit(ngx.ERROR)
  end
end

-- Runs on a port with listeners. If it is `shared`, it has hosts of its own, too. If no pair of the
-- listener can be used, the handshake ends, so a client never gets a certificate of another name.
function _M.at_listeners(shared, rejects)
  local name, generation = server_name(), store.generation()
  local listener, known = listener_of(name, generation)
  if shared and not listener then
    return _M.run(rejects)
  elseif shared and keeps_own(name, listener, known) then
    return _M.run()
  end
  local ids = default
  if listener then
    ids = pairs_for(listener, name)
  elseif rejects and name ~= "" then
    ids = nil
  end
  if not show(ids, generation) then
    return ngx.exit(ngx.ERROR)
  end
end

return _M

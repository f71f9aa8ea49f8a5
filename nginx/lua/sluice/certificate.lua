-- Chooses the certificate by SNI: the exact name, then the wildcard one label above, then the
-- default (RS-10.5).
local ssl = require("ngx.ssl")
local ocsp = require("ngx.ocsp")
local store = require("sluice.store")

local records = ngx.shared.sluice_records

local _M = {}

local function pair_id(name)
  if not name then
    return "default"
  end
  name = string.lower(name):gsub("%.$", "")
  local id = records:get("sni " .. name)
  if id then
    return id
  end
  local dot = string.find(name, ".", 1, true)
  return dot and records:get("sni *" .. string.sub(name, dot)) or "default"
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

-- Returns whether a host of an Ingress has the name, by its own record or by that of the wildcard
-- one label above.
local function is_known(name)
  if not name then
    return false
  end
  name = string.lower(name):gsub("%.$", "")
  if records:get("host " .. name) then
    return true
  end
  local dot = string.find(name, ".", 1, true)
  return dot ~= nil and records:get("host *" .. string.sub(name, dot)) ~= nil
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

-- Sets these key pairs, one for each type of key. If none can be used, the handshake ends, so a
-- client never gets a certificate of another name.
function _M.show(ids, generation)
  local shown
  for i = 1, ids and #ids or 0 do
    local pair = store.get("pair", ids[i], generation)
    if set(pair, shown) then
      shown = shown or pair
    end
  end
  if not shown then
    return ngx.exit(ngx.ERROR)
  end
  staple(shown.fingerprint, generation)
end

-- Returns whether an Ingress has a certificate for the name that is more specific than `known`.
-- `known` is the part of the name that the hostname of a listener covers (scope.lua).
function _M.has_own(name, known)
  if known == name then
    return false
  elseif records:get("sni " .. name) then
    return true
  end
  local dot = string.find(name, ".", 1, true)
  local above = dot and string.sub(name, dot)
  return dot ~= nil and above ~= known and records:get("sni *" .. above) ~= nil
end

_M.is_known = is_known

-- With `rejects`, the handshake ends for a name that no host has (ssl-reject-handshake).
function _M.run(rejects)
  if rejects and not is_known(ssl.server_name()) then
    return ngx.exit(ngx.ERROR)
  end
  local generation = store.generation()
  local pair = store.get("pair", pair_id(ssl.server_name()), generation)
  if not set(pair) then
    -- The host has no pair, or OpenSSL refuses it; the default certificate keeps the host
    -- reachable.
    pair = store.get("pair", "default", generation)
    if not set(pair) then
      -- Before the records are known, no certificate is better than a wrong one.
      return store.is_filled() or ngx.exit(ngx.ERROR)
    end
  end
  staple(pair.fingerprint, generation)
end

return _M

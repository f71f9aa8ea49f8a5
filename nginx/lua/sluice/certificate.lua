-- Chooses the certificate by SNI: the exact name, then the wildcard one label above, then the default (RS-10.5).
local ssl = require("ngx.ssl")
local ocsp = require("ngx.ocsp")
local lrucache = require("resty.lrucache")
local store = require("sluice.store")

local records = ngx.shared.sluice_records

local _M = {}

-- Parsed pairs by fingerprint: a renewed certificate has another one.
local parsed = lrucache.new(1000)

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

local function parse(pair)
  local found = parsed:get(pair.fingerprint)
  if found then
    return found
  end
  local chain, chain_problem = ssl.parse_pem_cert(pair.chain)
  local key, key_problem = ssl.parse_pem_priv_key(pair.key)
  if not chain or not key then
    ngx.log(ngx.ERR, "a certificate could not be parsed: ", chain_problem or key_problem)
    return nil
  end
  found = { chain = chain, key = key }
  parsed:set(pair.fingerprint, found)
  return found
end

-- Whether some host takes the name: its own record, or that of the wildcard one label above.
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

-- The answer of the issuer's OCSP responder, where the controller has one; for clients that ask for it.
local function staple(fingerprint)
  local answer = store.get("staple " .. fingerprint)
  if not answer then
    return
  end
  local ok, problem = ocsp.set_ocsp_status_resp(ngx.decode_base64(answer))
  if not ok then
    ngx.log(ngx.ERR, "an OCSP answer could not be stapled: ", problem)
  end
end

-- With `rejects`, a name that no host has ends the handshake (ssl-reject-handshake).
function _M.run(rejects)
  if rejects and not is_known(ssl.server_name()) then
    return ngx.exit(ngx.ERROR)
  end
  local pair = store.get("pair " .. pair_id(ssl.server_name())) or store.get("pair default")
  local found = pair and parse(pair)
  if not found then
    return
  end
  ssl.clear_certs()
  local ok, problem = ssl.set_cert(found.chain)
  if ok then
    ok, problem = ssl.set_priv_key(found.key)
  end
  if not ok then
    ngx.log(ngx.ERR, "a certificate could not be set: ", problem)
    return
  end
  staple(pair.fingerprint)
end

return _M

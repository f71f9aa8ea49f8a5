-- Decodes records, and adds what their texts leave out. A slab of nginx's shared memory rounds each
-- record up to a power of two, so shorter texts often take half the memory. Thus the record of an
-- upstream has no label, and a location of an Ingress no namespace, Service and port, if the
-- upstream's id says the same.
local cjson = require("cjson.safe")

-- It also notes whether several namespaces have locations.
local function complete_locations(record)
  local first
  for _, location in ipairs(record.locations or {}) do
    if location.ingress and not location.namespace then
      location.namespace, location.service, location.port = location.upstream:match("^([^/]+)/([^/]+)/(.+)$")
    end
    local namespace = location.namespace or ""
    if first and first ~= namespace then
      record.several = true
    end
    first = namespace
  end
end

-- In the record of a host with routes in shadow, location 0 stands for those that serve now. Its
-- wildcards may be for one label.
local function complete_shadow(record)
  complete_locations(record)
  record.locations[0] = { now = true, depth = 1 }
end

-- What each sort of record leaves out.
local complete = {
  host = complete_locations,
  shadow = complete_shadow,
  ["before host"] = function(forms)
    for _, form in ipairs(forms) do
      if form then
        complete_locations(form)
      end
    end
  end,
  upstream = function(upstream, id)
    upstream.label = upstream.label or id:gsub("/", "-")
  end,
}

-- The record of a key pair is a line with its fingerprint and the bytes of the chain, and then the
-- chain and the key in PEM. JSON would need two characters for the end of each line.
local function pair_of(text)
  local fingerprint, bytes, at = text:match("^(%x+) (%d+)\n()")
  if not fingerprint then
    return nil
  end
  local key_at = at + bytes
  return { fingerprint = fingerprint, chain = text:sub(at, key_at - 1), key = text:sub(key_at) }
end

-- Returns the record, or nil if the text is none.
return function(sort, name, text)
  -- Journals of earlier versions have pairs in JSON.
  local record, problem = sort == "pair" and pair_of(text)
  if not record then
    record, problem = cjson.decode(text)
  end
  if record == nil then
    ngx.log(ngx.ERR, "record ", sort, " ", name, " is not JSON: ", problem)
  elseif complete[sort] then
    complete[sort](record, name)
  end
  return record
end

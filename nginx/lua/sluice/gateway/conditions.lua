-- What a request has to fulfil beside its path: method, headers, query parameters, and being a call
-- of gRPC.
local budget = require("sluice.budget")

local ngx = ngx
local find = string.find
local gmatch = string.gmatch
local gsub = string.gsub
local lower = string.lower
local match = string.match
local sub = string.sub
local type = type

local _M = {}

-- The same from 1.23 on, which joins headers of one name; older ones know the first alone.
local joins = (ngx.config.nginx_version or 0) >= 1023000

-- All values of a header in one text; nil where the request has none. The condition has its name in
-- lower case, and that of nginx's variable.
local function header(one)
  local value = ngx.var[one[4]]
  if not value or joins then
    return value
  end
  local values = ngx.req.get_headers(0)[one[1]]
  return type(values) == "table" and table.concat(values, ", ") or value
end

local function from_hex(digits)
  return string.char(tonumber(digits, 16))
end

local function decoded(text)
  if find(text, "[+%%]") then
    return (gsub(gsub(text, "+", " "), "%%(%x%x)", from_hex))
  end
  return text
end

-- The query that was read last and its parameters. The conditions of a host may be thousands, and a
-- client chooses how long the query is: so it is read once and not for each of them.
local read, values

-- By decoded name, the first value of each parameter, decoded.
local function parameters(args)
  if args ~= read then
    read, values = args, {}
    for pair in gmatch(args, "[^&]+") do
      local equals = find(pair, "=", 1, true)
      local name = decoded(equals and sub(pair, 1, equals - 1) or pair)
      if values[name] == nil then
        values[name] = equals and decoded(sub(pair, equals + 1)) or ""
      end
    end
  end
  return values
end

-- The value of the first parameter of the name; nil where the query has none.
local function parameter(one)
  local args = ngx.var.args
  return args and args ~= "" and parameters(args)[one[1]] or nil
end

-- The encoding of a call follows its type: application/grpc+proto.
local grpc = "application/grpc"

local function is_call()
  local kind = ngx.var.content_type
  return kind ~= nil and lower(sub(kind, 1, #grpc)) == grpc
end

-- The service or the method of a call, whose path is /service/method.
local function part_of_call(one)
  local uri = ngx.var.uri
  if one[1] == "service" then
    return match(uri, "^/(.+)/[^/]+$")
  end
  return match(uri, "^/.+/([^/]+)$")
end

-- Whether the value is the wanted one, or one that the pattern takes as a whole. The second answer
-- is true where a pattern could not be finished.
local function fits(value, wanted, is_pattern)
  if not value then
    return false
  end
  if not is_pattern then
    return value == wanted
  end
  if budget.is_spent() then
    ngx.log(ngx.WARN, "the patterns before ", wanted, " took too long for one request")
    return false, true
  end
  local from, _, why = ngx.re.find(value, wanted, "jo")
  if why then
    ngx.log(ngx.WARN, "condition ", wanted, ": ", why)
    return false, not find(why, "compile", 1, true)
  end
  return from ~= nil
end

-- Whether the request fulfils those from this one on: a call and no loop, so that LuaJIT makes one
-- piece of machine code of a request. Nil where that could not be found out.
local function all(list, i, value_of)
  local one = list[i]
  if not one then
    return true
  end
  local held, undecided = fits(value_of(one), one[2], one[3] == 1)
  if undecided then
    return nil
  end
  return held and all(list, i + 1, value_of)
end

-- Whether the request fulfils all of it; nil where a pattern ran into the limit of its steps, or
-- all before took too long: it cannot be said whose the request is then, and the next one may guard
-- less.
function _M.hold(choice)
  if budget.is_spent() then
    ngx.log(ngx.WARN, "the conditions of all routes with one path took too long for one request")
    return nil
  end
  if choice.method and choice.method ~= ngx.var.request_method then
    return false
  end
  local held = true
  if choice.call then
    held = is_call() and all(choice.call, 1, part_of_call)
  end
  if held and choice.headers then
    held = all(choice.headers, 1, header)
  end
  if held and choice.query then
    held = all(choice.query, 1, parameter)
  end
  return held
end

return _M

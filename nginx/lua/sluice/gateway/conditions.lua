-- The conditions of a route beside its path: method, headers, query parameters, and service and
-- method of a gRPC call.
local header_rules = require("sluice.headers")
local regex = require("sluice.regex")

local ngx = ngx
local find = string.find
local gmatch = string.gmatch
local gsub = string.gsub
local lower = string.lower
local match = string.match
local sub = string.sub

-- `compared` is the number of the last request whose conditions were compared.
local _M = {}

-- nginx joins headers of the same name from version 1.23 on. Older versions know only the first of
-- them, but join cookies.
local joins = (ngx.config.nginx_version or 0) >= 1023000

-- The steps that reading and comparing a value cost.
local each = 500

-- The headers of the request with this number. A host may have thousands of conditions, and clients
-- choose the number of headers, so these are read once.
local headers_of, headers

-- Returns all values of a header in one text, or nil if the request has none. A condition has
-- the header's name in lower case, and the name of nginx's variable for it. It has no variable
-- if that would also read other headers: $http_x_a has the value of X-A, not only of x_a. If
-- clients may send x_a, the variable of X-A tells only that one of them is there.
local function header(one)
  local name, variable = one[1], one[4]
  local value = variable and ngx.var[variable]
  if variable and (not value or joins and not header_rules.are_let_through or name == "cookie") then
    return value
  end
  if regex.number ~= headers_of then
    headers_of, headers = regex.number, ngx.req.get_headers(0)
  end
  return header_rules.joined(rawget(headers, name))
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

-- The parameters of the last query. A host may have thousands of conditions, and clients choose the
-- length of the query. So a query is parsed once, and not once for each condition.
local read, values

-- Returns the first value of each parameter, decoded, by its decoded name.
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

-- Returns the value of the first parameter of that name; nil if the query has none.
local function parameter(one)
  local args = ngx.var.args
  return args and args ~= "" and parameters(args)[one[1]] or nil
end

-- The request that a preflight announces: its method, the names of its headers as one text with a
-- comma at both ends, and whether a header may be missing there, too. While it is set, conditions
-- are those of that request.
local announced

-- Headers that browsers send without announcing them, or with other values than in a preflight.
local unannounced = ",accept,accept-language,authorization,content-language,content-type,cookie,range,"

-- Returns whether the announced request may fulfil a condition on a header that the preflight does
-- not fulfil.
local function may_come(one)
  local name = "," .. one[1] .. ","
  return find(announced.names, name, 1, true)
    or find(unannounced, name, 1, true)
    or announced.any and header(one) == nil
end

-- Makes conditions those of the request that a preflight announces; without a method they are those
-- of the request itself again. With `any`, headers need not be announced.
function _M.announce(method, names, any)
  announced = method and { method = method, names = "," .. gsub(lower(names or ""), "%s", "") .. ",", any = any }
end

-- The encoding of a call follows its content type, as in application/grpc+proto.
local grpc = "application/grpc"

local function is_call()
  if announced then
    return announced.method == "POST"
  end
  local kind = ngx.var.content_type
  return kind ~= nil and lower(sub(kind, 1, #grpc)) == grpc
end

-- Returns the service or the method of a call; its path is /service/method.
local function part_of_call(one)
  local uri = ngx.var.uri
  if one[1] == "service" then
    return match(uri, "^/(.+)/[^/]+$")
  end
  return match(uri, "^/.+/([^/]+)$")
end

-- Returns whether the value equals the wanted one, or the pattern takes the whole value. The second
-- result is true if the match ran out of steps.
local function fits(value, wanted, is_pattern)
  if not value then
    return false
  end
  if not is_pattern then
    return value == wanted
  end
  local takes = regex.takes(regex.whole, value, wanted)
  return takes, takes == nil
end

-- Returns whether the request fulfils the conditions from `i` on; nil if that could not be found
-- out. It recurses instead of looping, so that LuaJIT compiles a request as one piece.
local function all(list, i, value_of)
  local one = list[i]
  if not one then
    return true
  elseif not regex.charge(each) then
    return nil
  end
  local held, undecided = fits(value_of(one), one[2], one[3] == 1)
  if undecided then
    return nil
  elseif not held and announced and value_of == header then
    held = may_come(one)
  end
  return held and all(list, i + 1, value_of)
end

-- Returns whether the request fulfils all conditions. Returns nil if a pattern ran out of steps
-- or the budget is spent: the owner of the request is unknown then, and the next route may have
-- fewer guards.
function _M.hold(choice)
  _M.compared = regex.number
  if not regex.charge(each) then
    ngx.log(ngx.WARN, "the conditions of all routes with one path took too long for one request")
    return nil
  end
  if choice.method and choice.method ~= (announced and announced.method or ngx.var.request_method) then
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

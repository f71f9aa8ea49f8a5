-- Writes the affinity cookie (RS-14.2). Only locations whose own Ingress has affinity set it
-- (RS-14.3), and a retry replaces the cookie of the try before it.
local ngx = ngx
local find = string.find

local _M = {}

-- Matches browsers that read SameSite=None as Strict, or refuse such a cookie.
local function misunderstands_none(agent)
  return agent ~= nil
    and (
      find(agent, "Chrome/[456]%d%.") ~= nil
      or find(agent, "CPU iPhone OS 12", 1, true) ~= nil
      or find(agent, "iPad; CPU OS 12", 1, true) ~= nil
      or (
        find(agent, "Intel Mac OS X 10_14", 1, true) ~= nil
        and find(agent, "Safari", 1, true) ~= nil
        and find(agent, "Chrome", 1, true) == nil
      )
    )
end

local function same_site_of(balance)
  local value = balance.same_site
  if value == "None" and balance.conditional and misunderstands_none(ngx.var.http_user_agent) then
    return nil
  end
  return value
end

-- `sticky` is 1, or the path of the cookie if the path of the location is a pattern.
local function text_of(balance, key, sticky)
  local var = ngx.var
  local same_site = same_site_of(balance)
  local secure = balance.secure or var.https == "on"
  return balance.name .. "=" .. key .. "|" .. balance.binding
    .. (balance.expires and "; Expires=" .. ngx.cookie_time(ngx.time() + balance.expires) or "")
    .. (balance.max_age and "; Max-Age=" .. balance.max_age or "")
    .. (balance.domain and "; Domain=" .. balance.domain or "")
    .. "; Path=" .. (balance.path or (sticky == "1" and var.location_path or sticky))
    .. (secure and "; Secure" or "")
    .. "; HttpOnly"
    .. (same_site and "; SameSite=" .. same_site or "")
end

function _M.issue(balance, key)
  local sticky = ngx.var.route_sticky
  if sticky and sticky ~= "" then
    ngx.header["Set-Cookie"] = text_of(balance, key, sticky)
  end
end

return _M

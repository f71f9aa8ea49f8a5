-- A second copy of the router's files, in an environment of its own. So a question is answered by
-- the code that routes requests, and what requests pass by knows nothing of questions.
local find = string.find

local _M = {}

-- Returns the `require` of the copy. `environment` has what its files find in place of globals;
-- `modules` has what stands in for other modules, by name.
function _M.of(environment, modules)
  setmetatable(environment, { __index = _G })
  function environment.require(name)
    if modules[name] == nil then
      if not find(name, "^sluice%.") then
        return require(name)
      end
      local file = assert(loadfile(assert(package.searchpath(name, package.path))))
      modules[name] = setfenv(file, environment)(name)
    end
    return modules[name]
  end
  return environment.require
end

return _M

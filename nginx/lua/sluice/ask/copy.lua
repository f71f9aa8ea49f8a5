-- A second copy of the router's files, in an environment of its own. The same code answers
-- questions and routes requests, and the code that requests run through needs no lines for
-- questions.
local find = string.find

local _M = {}

-- Returns the `require` function of the copy. `environment` replaces the globals of its files;
-- `modules` replaces other modules, by name.
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

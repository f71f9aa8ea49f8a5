-- Reads and writes the wire format of Protocol Buffers, which gRPC uses for messages. Reading a
-- message gives the values of its fields by their numbers. The caller knows what each field means.

local _M = {}

local function varint(number)
  local bytes = {}
  while number >= 128 do
    bytes[#bytes + 1] = string.char(number % 128 + 128)
    number = math.floor(number / 128)
  end
  return table.concat(bytes) .. string.char(number)
end

-- Returns the bytes of a field with a whole number, from 0 to 2^53.
function _M.number(field, number)
  return varint(field * 8) .. varint(number)
end

-- Returns the bytes of a field with a text, with bytes, or with a message.
function _M.bytes(field, text)
  return varint(field * 8 + 2) .. varint(#text) .. text
end

-- Returns the number that begins at `at`, and the position after it. Returns nil if it has no
-- end. Numbers beyond 2^53 lose digits, and none of them becomes 0.
local function varint_at(text, at)
  local number, factor = 0, 1
  for place = at, at + 9 do
    local digit = text:byte(place)
    if not digit then
      return nil
    end
    number = number + digit % 128 * factor
    if digit < 128 then
      return number, place + 1
    end
    factor = factor * 128
  end
end

-- Returns the number of bytes of the value that begins at `at`, or nil if no value of this kind
-- can begin.
local function length_at(text, kind, at)
  if kind == 2 then
    return varint_at(text, at)
  elseif kind == 1 then
    return 8, at
  elseif kind == 5 then
    return 4, at
  end
end

-- Returns a list of values for each field number. A value is a number or the bytes. Returns nil
-- if the text is not a message.
function _M.read(text)
  local fields, at = {}, 1
  while at <= #text do
    local key, value
    key, at = varint_at(text, at)
    if not key then
      return nil
    end
    local kind = key % 8
    if kind == 0 then
      value, at = varint_at(text, at)
    else
      local length, from = length_at(text, kind, at)
      if length and from + length - 1 <= #text then
        value, at = text:sub(from, from + length - 1), from + length
      end
    end
    if not value then
      return nil
    end
    local number = math.floor(key / 8)
    fields[number] = fields[number] or {}
    table.insert(fields[number], value)
  end
  return fields
end

-- Returns the bytes of a field, or the empty text if it is not set. A message may come in
-- several parts, which are joined. A number in their place is an error.
function _M.joined(fields, number)
  local parts = fields[number] or {}
  for _, part in ipairs(parts) do
    assert(type(part) == "string", "a field has a value of another kind")
  end
  return table.concat(parts)
end

-- Returns the text of a field. If it comes several times, the last one counts.
function _M.last(fields, number)
  local parts = fields[number] or {}
  local value = parts[#parts] or ""
  assert(type(value) == "string", "a field has a value of another kind")
  return value
end

-- Returns the number of a field, or 0 if it is not set.
function _M.count(fields, number)
  local parts = fields[number] or {}
  local value = parts[#parts] or 0
  assert(type(value) == "number", "a field has a value of another kind")
  return value
end

-- Returns the fields of the message in a field.
function _M.message(fields, number)
  return assert(_M.read(_M.joined(fields, number)), "a field is no message")
end

-- Returns the fields of each message in a field.
function _M.messages(fields, number)
  local all = {}
  for _, part in ipairs(fields[number] or {}) do
    all[#all + 1] = assert(type(part) == "string" and _M.read(part), "a field is no message")
  end
  return all
end

return _M

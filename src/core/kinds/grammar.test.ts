import { expect, test } from "vitest";
import { parse } from "./grammar.ts";

test("a statement has a name, words as nginx reads them, and possibly a block", () => {
  expect(parse("map $host $x { # a } comment\n  default \"a; b\" ;\n ~^\\.x 'it\\'s'; }\nset $y ${x};")).toEqual({
    ok: true,
    statements: [
      {
        name: "map",
        args: ["$host", "$x"],
        line: 1,
        from: 0,
        block: [
          { name: "default", args: ["a; b"], line: 2, from: 31, text: 'default "a; b" ;' },
          { name: "~^\\.x", args: ["it's"], line: 3, from: 49, text: "~^\\.x 'it\\'s';" },
        ],
        text: "map $host $x { # a } comment\n  default \"a; b\" ;\n ~^\\.x 'it\\'s'; }",
      },
      { name: "set", args: ["$y", "${x}"], line: 4, from: 66, text: "set $y ${x};" },
    ],
  });
});

test.each([
  ["content_by_lua_block { ngx.say('}') -- }\n local t = {} }", ["content_by_lua_block"]],
  ["access_by_lua_block { local s = [[ } ]] --[[ } ]] }\nset $a b;", ["access_by_lua_block", "set"]],
  ["content_by_lua_block { return t[1] - 2 }", ["content_by_lua_block"]],
])("%j is read with its block of Lua", (text, names) => {
  const parsed = parse(text);
  expect(parsed.ok && parsed.statements.map(({ name }) => name)).toEqual(names);
});

test.each([
  ["env A", 'line 1: ";" or "{" is missing after "env A"'],
  ["a;\n}", 'line 2: unexpected "}"'],
  ["location ^~ /admin\n  return 403;\n}", 'line 3: unexpected "}"; the location of line 1 has no "{"'],
  ["if ($a) { b; }\nif ($c)\n  return 403;\n}", 'line 4: unexpected "}"; the if of line 2 has no "{"'],
  ["server {\n a;", "line 1: the block of server is not closed"],
  ['a "b', "line 1: a quote is not closed"],
  ['a "b"c;', 'line 1: unexpected "c" after a quoted word'],
  ["a { b }", 'line 1: "}" where ";" was expected'],
  ["a;;", 'line 1: unexpected ";"'],
  ["x_by_lua_block { ( ", "a block of Lua code is not closed"],
])("%j is refused: %s", (text, why) => {
  expect(parse(text)).toEqual({ ok: false, why });
});

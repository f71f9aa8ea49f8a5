import { expect, test } from "vitest";
import type { AnswerHeader } from "../tokens/place.ts";
import { Token } from "../tokens/token.ts";
import { withNestedBlocks } from "./nested-blocks.ts";

const header = "add_header Strict-Transport-Security $strict_transport_security always;";

test.each([
  ["add_header X y;", "add_header X y;"],
  ["if ($a) { return 403; }", "if ($a) { return 403; }"],
  ["if ($a) {\n  add_header X y;\n}", `if ($a) {\n  ${header} add_header X y;\n}`],
  ["location /a { return 200; }", "location /a { set $s_located 1; return 200; }"],
  [
    "location /a { if ($b) { add_header X y; } proxy_hide_header Z; }",
    `location /a { set $s_located 1; proxy_hide_header Strict-Transport-Security; if ($b) { ${header} add_header X y; } proxy_hide_header Z; }`,
  ],
  ["location /a { }", "location /a { }"],
  ["access_by_lua_block { local a = { b = 1 } }", "access_by_lua_block { local a = { b = 1 } }"],
  ["if (", "if ("],
])("the snippet %j keeps the header of hsts in its blocks", (text, written) => {
  expect(withNestedBlocks(text)).toBe(written);
});

test("the headers of custom-headers stay in blocks that add or hide headers, and others do not", () => {
  const one = (name: string): AnswerHeader => ({
    ...{ name: Token.name(name), value: Token.text("1"), always: true, replaces: true },
  });
  const added = [{ ...one("X-Own"), inBlocks: true as const }, one("Access-Control-Max-Age")];
  const headers = { added, security: [] };
  expect(withNestedBlocks("if ($a) { add_header X y; proxy_hide_header Z; }", headers)).toBe(
    `if ($a) { ${header} add_header X-Own "1" always; proxy_hide_header Strict-Transport-Security; proxy_hide_header X-Own; add_header X y; proxy_hide_header Z; }`,
  );
  expect(withNestedBlocks("if ($a) { return 403; }", headers)).toBe("if ($a) { return 403; }");
});

test("many headers in many blocks add a bounded text", () => {
  const sent = { always: true, replaces: true, inBlocks: true } as const;
  const own: AnswerHeader = { name: Token.name("X-Own"), value: Token.text("a".repeat(1_000)), ...sent };
  const blocks = "if ($a) { add_header X y; }\n";
  expect(withNestedBlocks(blocks.repeat(100), { added: [own], security: [] })).toContain("X-Own");
  const written = withNestedBlocks(blocks.repeat(1_000), { added: [own], security: [] });
  expect(written).toBe(`if ($a) { ${header} add_header X y; }\n`.repeat(1_000));
});

test("a block that sets Strict-Transport-Security gets the value of hsts after that", () => {
  const security = [Token.text("Strict-Transport-Security: max-age=2")];
  const set = 'more_set_headers "strict-transport-security: max-age=1";';
  expect(withNestedBlocks(`if ($a) { ${set} set $b 1; }`, { added: [], security })).toBe(
    `if ($a) { ${set} more_set_headers "Strict-Transport-Security: max-age=2"; set $b 1; }`,
  );
  expect(withNestedBlocks("if ($a) { set $b 1; }", { added: [], security })).toBe("if ($a) { set $b 1; }");
});

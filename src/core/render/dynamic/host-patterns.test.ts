import { expect, test } from "vitest";
import { isTaken, ownPatterns, patternsOf, patternsRecord } from "./host-patterns.ts";

const host = (name: string, ...aliases: string[]) => ({
  name,
  aliases: aliases.map((alias) => ({ name: alias, certificate: undefined, tlsConfigured: alias === "*.a.example" })),
});

test("the record has each kind of pattern by itself, and regular expressions in the order of their hosts", () => {
  const servers = [host("z.example", "~^z"), host("a.example", "~^a", "*.a.example", "www.*", "plain.example")];
  expect(JSON.parse(patternsRecord(servers.flatMap(patternsOf))!)).toEqual({
    leading: { ".a.example": ["a.example", 1] },
    trailing: { "www.": "a.example" },
    regex: [
      ["^a", "a.example"],
      ["^z", "z.example"],
    ],
  });
  expect(patternsRecord([])).toBeUndefined();
});

test.each([
  ["*.example", [], "a.example", true],
  ["*.example", [], "b.a.example", false],
  ["*.example", [], "example", false],
  ["h", ["*.example"], "b.a.example", true],
  ["h", ["*.example"], "example", false],
  ["h", ["www.*"], "www.a.example", true],
  ["h", ["www.*"], "wwwa.example", false],
  ["h", ["~^n[0-9]+"], "anything", true],
  ["h", ["exact.example"], "exact.example", false],
] as const)("the host %s with aliases %j takes requests for %s: %s", (name, aliases, other, taken) => {
  expect(isTaken(other, ownPatterns(host(name, ...aliases)))).toBe(taken);
});

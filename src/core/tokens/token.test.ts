import fc from "fast-check";
import { expect, test } from "vitest";
import { Token } from "./token.ts";

/**
 * Reads one double-quoted word as nginx does: `\"` and `\\` become the characters, any other
 * backslash stays.
 */
const readBack = (text: string) => {
  expect(text).toMatch(/^"(?:[^"\\]|\\.)*"$/su);
  return text.slice(1, -1).replace(/\\(["\\])/g, "$1");
};
const printable = fc.string({ unit: "grapheme" }).filter((raw) => Token.printable(raw));

test("nginx reads a quoted word back as it was given", () => {
  fc.assert(
    fc.property(printable, (raw) => {
      expect(readBack(String(Token.word(raw)))).toBe(raw);
    }),
  );
});

test("text has no variable except the literal dollar sign", () => {
  fc.assert(
    fc.property(printable, (raw) => {
      expect(readBack(String(Token.text(raw))).replaceAll("${literal_dollar}", "$")).toBe(raw);
    }),
  );
});

test.each([
  ["$host/$1", '"${host}/${literal_dollar}1"'],
  ["${host}x", '"${host}x"'],
  ["$http_authorization", '"${literal_dollar}http_authorization"'],
  ["a$", '"a${literal_dollar}"'],
  ["$$host", '"${literal_dollar}${host}"'],
])("in %j only the listed variables are evaluated", (raw, expected) => {
  expect(String(Token.variables(raw, (name) => name === "host"))).toBe(expected);
});

test("a capture is printed without braces, and only where captures are allowed", () => {
  expect(String(Token.variables("/b/$1x$2", (name) => name === "1"))).toBe('"/b/$1x${literal_dollar}2"');
});

test("text of several lines is one word with nginx's escapes", () => {
  expect(String(Token.lines('a\t"b"\n$host $1', (name) => name === "host"))).toBe(
    '"a\\t\\"b\\"\\n${host} ${literal_dollar}1"',
  );
  expect(String(Token.lines("SecRule $x\n"))).toBe('"SecRule $x\\n"');
});

test.each(["a\nb", "a\rb", "\0", "\u0085", "\u2028", "\t", "\ud800"])("%j is refused as a word", (raw) => {
  expect(Token.printable(raw)).toBe(false);
  expect(() => Token.text(raw)).toThrow(TypeError);
});

test.each(["10 k", "5x", "", "-1"])("%j is refused as a size", (raw) => {
  expect(() => Token.size(raw)).toThrow(TypeError);
});

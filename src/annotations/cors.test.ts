import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf, valuesOf } from "../../test/support/reading.ts";
import { cors } from "./cors.ts";

const patternOf = (origins: string) => {
  const value = valuesOf({ "enable-cors": "true", "cors-allow-origin": origins }).cors;
  const view = cors.view!(value, notingPlace(), settingsOf()) as { pattern?: unknown } | false;
  if (view === false) return undefined;
  return view.pattern === undefined ? /^/ : new RegExp(JSON.parse(String(view.pattern)), "i");
};

test.each([
  ["https://a.example", "https://a.example", true],
  ["https://a.example", "HTTPS://A.EXAMPLE", true],
  ["https://a.example", "https://axexample", false],
  ["https://a.example", "https://a.example.evil.example", false],
  ["https://a.example", "evil://https://a.example", false],
  ["https://*.a.example:8443", "https://b-1.a.example:8443", true],
  ["https://*.a.example", "https://a.example", false],
  ["https://*.a.example", "https://c.b.a.example", false],
  ["app://x, null", "null", true],
  ["nonsense, https://b.example", "https://b.example", true],
  ["https://b.example, *", "https://anything.example", true],
])("of the list %s, %s matches: %s", (list, origin, matches) => {
  expect(patternOf(list)?.test(origin)).toBe(matches);
});

test("items that are no origins are left out and said; a list without an origin is one that nobody matches", () => {
  const reading = readingOf({ "enable-cors": "true", "cors-allow-origin": "nonsense" });
  expect(reading.problems).toMatchObject([{ kind: "annotation-partly", key: "cors-allow-origin" }]);
  expect(patternOf("nonsense")).toBeUndefined();
});

test("what is not set stays the backend's", () => {
  const names = (annotations: Record<string, string>) => {
    const value = valuesOf({ "enable-cors": "true", ...annotations }).cors;
    return cors.answerHeaders!(value, notingPlace(), settingsOf()).map(({ name }) => String(name));
  };
  expect(names({})).not.toContain("Access-Control-Expose-Headers");
  expect(names({ "cors-expose-headers": "X-A" })).toContain("Access-Control-Expose-Headers");
  expect(names({ "cors-allow-credentials": "false" })).not.toContain("Access-Control-Allow-Credentials");
});

import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf, valuesOf } from "../../../../test/support/reading.ts";
import { cors } from "./declaration.ts";

const everybody = /^/;

/** The pattern that nginx compares origins with, as text and as the value of a route. */
const patternsOf = (origins: string) => {
  const value = valuesOf({ "enable-cors": "true", "cors-allow-origin": origins }).cors;
  const view = cors.view!(value, notingPlace({ live: false }), settingsOf()) as { pattern?: unknown } | false;
  const place = notingPlace();
  cors.view!(value, place, settingsOf());
  const { cors_origins: data } = place.noted.variables;
  if (view === false || data === undefined) return [view || undefined, data];
  const text = view.pattern === undefined ? everybody : new RegExp(JSON.parse(String(view.pattern)), "i");
  return [text, data === "*" ? everybody : new RegExp(data, "i")];
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
])("the list %s matches the origin %s: %s", (list, origin, matches) => {
  const [text, data] = patternsOf(list) as RegExp[];
  expect([text!.test(origin), data!.test(origin)]).toEqual([matches, matches]);
});

test("items that are no origins are left out and reported, and a list without an origin matches none", () => {
  const reading = readingOf({ "enable-cors": "true", "cors-allow-origin": "nonsense" });
  expect(reading.problems).toMatchObject([{ kind: "annotation-partly", key: "cors-allow-origin" }]);
  expect(patternsOf("nonsense")).toEqual([undefined, undefined]);
});

test("CORS headers that no annotation sets are those of the backend", () => {
  const names = (annotations: Record<string, string>) => {
    const value = valuesOf({ "enable-cors": "true", ...annotations }).cors;
    return cors.answerHeaders!(value, notingPlace({ live: false }), settingsOf()).map(({ name }) => String(name));
  };
  expect(names({})).not.toContain("Access-Control-Expose-Headers");
  expect(names({ "cors-expose-headers": "X-A" })).toContain("Access-Control-Expose-Headers");
  expect(names({ "cors-allow-credentials": "false" })).not.toContain("Access-Control-Allow-Credentials");
});

test.each([
  [
    "https://a.example, https://b.example/, https://c.example/x",
    '"https://b.example/" is not an origin like https://example.com',
  ],
  ["https://a.example/", '"https://a.example/" is not a list of origins'],
])("the list %s cannot be read: %s", (list, why) => {
  const { problems } = readingOf({ "enable-cors": "true", "cors-allow-origin": list });
  expect(problems).toMatchObject([{ kind: "annotation-unreadable", key: "cors-allow-origin", why }]);
});

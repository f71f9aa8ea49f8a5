import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf, valuesOf } from "../../test/support/reading.ts";
import { redirects } from "./redirects.ts";

const redirectsOf = (annotations: Record<string, string>) => valuesOf(annotations).redirects;

test.each([
  [{ "permanent-redirect": "https://a.example" }, { url: "https://a.example", code: 301 }],
  [
    { "permanent-redirect": "https://a.example", "permanent-redirect-code": "308" },
    { url: "https://a.example", code: 308 },
  ],
  [
    { "permanent-redirect": "https://a.example", "permanent-redirect-code": "200" },
    { url: "https://a.example", code: 301 },
  ],
  [
    { "temporal-redirect": "https://b.example", "permanent-redirect": "https://a.example" },
    { url: "https://b.example", code: 302 },
  ],
  [
    { "temporal-redirect": "https://b.example", "temporal-redirect-code": "308" },
    { url: "https://b.example", code: 302 },
  ],
])("%j", (annotations, elsewhere) => {
  expect(redirectsOf(annotations).elsewhere).toEqual(elsewhere);
});

test("a temporal-redirect that is no URL sets the whole group aside, and says so", () => {
  const reading = readingOf({
    "temporal-redirect": "/x",
    "permanent-redirect": "https://a.example",
    "from-to-www-redirect": "true",
  });
  expect(reading.values.redirects).toEqual({ elsewhere: undefined, relative: false, twin: false });
  expect(reading.verdict).toBe("serve");
  expect(reading.problems).toMatchObject([{ kind: "annotation-useless", key: "temporal-redirect" }]);
});

test.each([
  [{ "temporal-redirect": "https://b.example", "permanent-redirect-code": "x" }, "serve"],
  [{ "temporal-redirect": "https://b.example", "permanent-redirect": "no url" }, "serve"],
  [{ "permanent-redirect": "https://a.example", "temporal-redirect-code": "x" }, "serve"],
  [{ "permanent-redirect": "https://a.example", "permanent-redirect-code": "x" }, "reject"],
  [{ "temporal-redirect": "https://b.example", "temporal-redirect-code": "x" }, "reject"],
  [{ "permanent-redirect-code": "x" }, "reject"],
])("%j: what the other kind of redirect says is told and harms nobody, %s", (annotations, verdict) => {
  expect(readingOf(annotations)).toMatchObject({ verdict, problems: [{ kind: "annotation-unreadable" }] });
});

test("without validation a redirect may name variables of the request, and nothing that a client keeps to itself", () => {
  const { values } = readingOf(
    { "permanent-redirect": "https://a.example$request_uri?t=$http_authorization" },
    { validates: false },
  );
  const view = redirects.view!(values.redirects, notingPlace(), settingsOf()) as { url: unknown };
  expect(String(view.url)).toBe('"https://a.example${request_uri}?t=${literal_dollar}http_authorization"');
});

test.each(["https://a.example$request_uri", "https://a.example; } server {", "https://a.example\n"])(
  "%j is refused",
  (url) => {
    expect(readingOf({ "permanent-redirect": url }).verdict).toBe("reject");
  },
);

import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf, valuesOf } from "../../../../test/support/reading.ts";
import { redirects } from "./declaration.ts";

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
])("the annotations %j give the declared redirect", (annotations, elsewhere) => {
  expect(redirectsOf(annotations).elsewhere).toEqual(elsewhere);
});

test("a permanent-redirect beside a temporal-redirect has no effect, and a Problem says so", () => {
  const both = { "temporal-redirect": "https://b.example", "permanent-redirect": "https://a.example" };
  expect(readingOf(both).problems).toMatchObject([
    { kind: "annotation-useless", key: "permanent-redirect", why: "temporal-redirect wins over it" },
  ]);
  expect(readingOf({ "temporal-redirect": "https://b.example" }).problems).toEqual([]);
});

test("a temporal-redirect that is no URL disables the whole group, and a Problem says so", () => {
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
])("%j: an unreadable key of a redirect is reported, and the verdict is %s", (annotations, verdict) => {
  expect(readingOf(annotations)).toMatchObject({ verdict, problems: [{ kind: "annotation-unreadable" }] });
});

test("without validation a redirect may name variables of the request, but none with credentials of the client", () => {
  const { values } = readingOf(
    { "permanent-redirect": "https://a.example$request_uri?t=$http_authorization" },
    { validates: false },
  );
  const view = redirects.view!(values.redirects, notingPlace(), settingsOf()) as { url: unknown };
  expect(String(view.url)).toBe('"https://a.example${origin_form}?t=${literal_dollar}http_authorization"');
});

test.each(["https://a.example$request_uri", "https://a.example; } server {", "https://a.example\n"])(
  "the redirect %j is refused",
  (url) => {
    expect(readingOf({ "permanent-redirect": url }).verdict).toBe("reject");
  },
);

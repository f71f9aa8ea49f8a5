import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf } from "../../../../test/support/reading.ts";
import { customHeaders } from "./declaration.ts";

const allowed = { "global-allowed-response-headers": "X-Frame-Options, X-Team" };
const read = (reference: string, data: Record<string, string>) =>
  readingOf({ "custom-headers": reference }, { settings: allowed, configMaps: { "shop/headers": data } });

test("each entry of the ConfigMap is a header, and its dollar signs are literal", () => {
  const { values, references } = read("shop/headers", { "X-Team": 'a "b" $host', "X-Frame-Options": "DENY\n" });
  const headers = customHeaders.answerHeaders!(values.customHeaders, notingPlace({ live: false }), settingsOf());
  expect(headers.map(({ name, value }) => `${name} ${value}`)).toEqual([
    'X-Frame-Options "DENY"',
    'X-Team "a \\"b\\" ${literal_dollar}host"',
  ]);
  expect(references).toEqual(["ConfigMap shop/headers"]);
});

test.each([
  ["shop/headers", { "X-Other": "1" }, "X-Other is not in global-allowed-response-headers"],
  ["shop/headers", { "x-team": "1" }, "x-team is not in global-allowed-response-headers"],
  ["shop/headers", { "X-Team": "a\r\nSet-Cookie: b" }, "control character"],
  ["shop/absent", {}, "not found"],
  ["headers", {}, "not found"],
])("the ConfigMap %s with %j closes the paths, and a Problem has the reason", (reference, data, why) => {
  const { verdict, problems } = read(reference, data);
  expect(verdict).toBe("deny");
  expect(problems).toEqual([expect.objectContaining({ key: "custom-headers", why: expect.stringContaining(why) })]);
});

test("values of headers are data of the route where that is possible, and names are text", () => {
  const { values } = read("shop/headers", { "X-Team": "a", "X-Frame-Options": "DENY" });
  const place = notingPlace();
  const headers = customHeaders.answerHeaders!(values.customHeaders, place, settingsOf());
  expect(headers.map(({ name, value }) => `${name} ${value}`)).toEqual([
    "X-Frame-Options $route_answer_header_1",
    "X-Team $route_answer_header_2",
  ]);
  expect(place.noted.variables).toEqual({ answer_header_1: "DENY", answer_header_2: "a" });
});

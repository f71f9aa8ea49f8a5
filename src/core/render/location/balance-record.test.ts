import { expect, test } from "vitest";
import { balanceRecord, canaryRecord, textParts } from "./balance-record.ts";

test.each([
  ["fixed", ["fixed"]],
  ["$request_uri", [["request_uri"]]],
  ["a${http_x_user}$hostb-$", ["a", ["http_x_user"], ["hostb"], "-", "$"]],
])("the text %s has the parts %j", (text, parts) => {
  expect(textParts(text)).toEqual(parts);
});

test("round robin has no record, and a hash without groups has no size", () => {
  expect(balanceRecord({ algorithm: "round_robin" }, "x")).toBeUndefined();
  expect(JSON.stringify(balanceRecord({ algorithm: "hash", by: "$host", subset: 0 }, "x"))).toBe(
    '{"algorithm":"hash","parts":[["host"]]}',
  );
});

test("the binding of a cookie is that of ingress-nginx", () => {
  const cookie = {
    name: "route",
    mode: "persistent",
    path: "",
    domain: "",
    expires: undefined,
    maxAge: 5,
    sameSite: undefined,
    conditionalSameSiteNone: false,
    secure: true,
    changeOnFailure: false,
  } as const;
  expect(JSON.parse(JSON.stringify(balanceRecord({ algorithm: "cookie", cookie }, "ns-web-80")))).toEqual({
    algorithm: "persistent",
    name: "route",
    variable: "cookie_route",
    // this is md5(md5("ns-web-80") + "ns-web-80"), computed with md5sum
    binding: "061eba64b188d8f77aa21252957ea142",
    max_age: 5,
    secure: true,
  });
});

test.each([
  [{ weight: 30 }, { share: 0.3 }],
  [{ weight: 30, weightTotal: 1000 }, { share: 0.03 }],
  [{ weight: -5 }, {}],
  [{ weight: 250 }, { share: 1 }],
  [{ header: "X-Try" }, { header: "http_x_try" }],
  [
    { header: "X-Try", headerValue: "a", headerPattern: "b" },
    { header: "http_x_try", value: "a" },
  ],
  [
    { header: "X-Try", headerPattern: "b" },
    { header: "http_x_try", pattern: "b" },
  ],
  [{ headerValue: "a" }, {}],
  [{ cookie: "Beta" }, { cookie: "cookie_Beta" }],
])("a canary with the policy %j has the record %j", (more, record) => {
  const policy = { header: "", headerValue: "", headerPattern: "", cookie: "", weight: 0, weightTotal: 100, ...more };
  expect(JSON.parse(JSON.stringify(canaryRecord({ upstream: "u", policy })))).toEqual({ upstream: "u", ...record });
});

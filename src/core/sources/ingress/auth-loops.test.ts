import { describe, expect, test } from "vitest";
import { base, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../certificates/fake.ts";
import { sentence } from "../../model/problem.ts";
import { defaultOptions } from "../../table/options.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

type Path = readonly [string, string, string?];

const of = (annotations: Record<string, string>, paths: readonly Path[]) => {
  const one = ingress({ name: "a", host: "a.example", paths, annotations });
  const { problems } = translate({ ...emptyInputs, snapshot: put(base, service("web"), one) }, defaultOptions, fake);
  return [...problems.values()].flat().map(sentence);
};

const login: readonly Path[] = [
  ["/", "web", "Prefix"],
  ["/oauth2", "web", "Prefix"],
];
const advice = "give /oauth2 an Ingress of its own without auth-url";
const asks = `annotation auth-url: it leads to the path /oauth2 of this Ingress, which sends an auth request itself, so that no request passes; ${advice}`;
const signs = `annotation auth-signin: it leads to the path /oauth2 of this Ingress, so clients without a login are redirected there without end; ${advice}`;
const inside = "http://login.auth.svc.cluster.local/check";

test.each([
  ["the host of the request", { "auth-url": "https://$host/oauth2/auth" }, [asks]],
  ["its own host", { "auth-url": "https://A.example/oauth2/auth" }, [asks]],
  ["another host", { "auth-url": "https://b.example/oauth2/auth" }, []],
  ["a path that another Ingress may have", { "auth-url": "https://$host/me" }, []],
  ["a longer word", { "auth-url": "https://$host/oauth2x/auth" }, []],
  [
    "a sign-in page of its own host",
    { "auth-url": inside, "auth-signin": "https://a.example/oauth2/start?rd=$escaped_request_uri" },
    [signs],
  ],
  ["a sign-in page elsewhere", { "auth-url": inside, "auth-signin": "https://login.example/oauth2/start" }, []],
  [
    "a check that an address may replace",
    { "auth-url": "https://$host/oauth2/auth", satisfy: "any", "whitelist-source-range": "192.0.2.0/24" },
    [],
  ],
])("an auth request that leads to %s is judged by the paths that ask for it", (_, annotations, told) => {
  expect(of(annotations as Record<string, string>, login)).toEqual(told);
});

test("paths that are exempt from the check lead nowhere twice", () => {
  const acme = "/.well-known/acme-challenge/login";
  expect(of({ "auth-url": `https://$host${acme}` }, [[acme, "web", "Prefix"]])).toEqual([]);
});

test("authentik lets its own paths pass, so its sign-in page may be among the guarded paths", () => {
  const paths: readonly Path[] = [["/outpost.goauthentik.io", "web", "Prefix"]];
  const asking = (service: string) =>
    of({ "auth-url": service, "auth-signin": "https://a.example/outpost.goauthentik.io/start?rd=$request_uri" }, paths);
  expect(asking("http://ak.auth.svc.cluster.local/outpost.goauthentik.io/auth/nginx")).toEqual([]);
  expect(asking(inside)).toHaveLength(1);
});

const { chain: authority } = await fakeCertificate(new Date("2026-01-01"));

describe("an error page for certificates on the host that requests them", () => {
  const ca = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "ns", name: "ca" },
    data: { "ca.crt": Buffer.from(authority).toString("base64") },
  };
  const told = (annotations: Record<string, string>) => {
    const one = ingress({
      name: "a",
      host: "a.example",
      paths: login,
      annotations: { "auth-tls-secret": "ns/ca", ...annotations },
    });
    const snapshot = put(base, service("web"), ca, one);
    const { problems } = translate({ ...emptyInputs, snapshot }, defaultOptions, fake);
    return [...problems.values()].flat().map(sentence);
  };
  const page = "https://A.example/denied";
  const loops = (whose: string) =>
    `annotation auth-tls-error-page: every path of a.example requests a certificate, so clients ${whose} are redirected there without end; name a page of another host, or the path alone, /denied, which such clients then get without a certificate`;

  test.each([
    ["with a scheme", { "auth-tls-error-page": page }, [loops("without a valid one")]],
    [
      "that is optional",
      { "auth-tls-error-page": page, "auth-tls-verify-client": "optional" },
      [loops("with an invalid one")],
    ],
    ["that nobody checks", { "auth-tls-error-page": page, "auth-tls-verify-client": "optional_no_ca" }, []],
    ["that is another host", { "auth-tls-error-page": "https://help.example/denied" }, []],
    ["as a path alone", { "auth-tls-error-page": "/denied" }, []],
  ])("is found %s", (_, annotations, expected) => {
    expect(told(annotations)).toEqual(expected);
  });
});

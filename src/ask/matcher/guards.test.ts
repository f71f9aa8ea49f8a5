import { expect, test } from "vitest";
import { settingsOf, valuesOf } from "../../../test/support/reading.ts";
import type { Location } from "../../core/model/configuration.ts";
import type { ClientCertificate } from "../../core/policies/client-certificate.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { type Asked, checksBeforeFilters, earlyChecks, lateChecks, stopIn } from "./guards.ts";

const [clientCertificate] = earlyChecks;

const demanded: ClientCertificate = {
  kind: "verify",
  authorities: "",
  revoked: "",
  verify: "on",
  depth: 1,
  errorPage: "",
  passCertificate: false,
  subject: "",
};

test.each([
  ["", 400, ""],
  ["https://help.example/denied", 302, "; clients without a valid one are sent to https://help.example/denied"],
  ["/denied", undefined, "; clients without a valid one get the answer of /denied"],
])("with the error page %j a client without a certificate gets %s", (errorPage, status, page) => {
  const features = { clientCertificate: { ...demanded, errorPage } as ClientCertificate } as FeatureValues;
  const at = { host: { server: { features } }, asked: { scheme: "https" } } as unknown as Asked;
  const { guards, end } = stopIn([clientCertificate!], at, { features } as Location<FeatureValues>);
  expect(end).toBeUndefined();
  expect(guards).toEqual([
    expect.objectContaining({ says: `a client certificate is requested (on)${page}`, outcome: "depends" }),
  ]);
  expect(guards[0]?.status).toBe(status);
});

test.each([
  ["on, without TLS", "on", false, "/", 403],
  ["on, with the redirect to https", "on", true, "/", 308],
  ["on, below a path of no-auth-locations", "on", false, "/.well-known/acme-challenge/x", undefined],
  ["optional, without TLS", "optional", false, "/", undefined],
] as const)("plain http is answered for auth-tls-verify-client: %s", (_title, verify, tls, path, status) => {
  const features = { ...valuesOf({}), clientCertificate: { ...demanded, verify } } as FeatureValues;
  const at = {
    host: { server: { features }, tls },
    asked: { scheme: "http", host: "a.example", headers: new Map() },
    request: { host: "a.example", requestUri: path },
    settings: settingsOf(),
    found: { route: {} },
  } as unknown as Asked;
  const { end } = stopIn(earlyChecks, at, { features, path } as Location<FeatureValues>);
  expect(end?.kind === "answer" ? end.status : undefined).toBe(status);
});

test.each([
  ["an allowed address", ["192.0.2.1"], [], "", "depends"],
  ["an address that is not denied", [], ["192.0.2.1"], "", "stops"],
  ["what a snippet allows", [], [], "allow 192.0.2.1; deny all;", "depends"],
  ["nothing else", [], [], "", "stops"],
])("with satisfy: any and %s a request without a password %#", (_, allow, deny, text, outcome) => {
  const features = {
    basicAuth: { kind: "ask", realm: "here" },
    satisfy: { checks: "any" },
    accessLists: { allow, deny },
    configurationSnippet: { text },
    externalAuth: { kind: "none" },
  } as unknown as FeatureValues;
  const location = { features, path: "/", owner: {} } as unknown as Location<FeatureValues>;
  const at = { asked: { headers: new Map() }, settings: { noAuthLocations: [] } } as unknown as Asked;
  const basic = lateChecks.filter((check) => check.name === "basicAuth");
  expect(stopIn(basic, at, location).guards).toEqual([expect.objectContaining({ what: "basic-auth", outcome })]);
});

test.each([
  [{ connections: 5 }, "", 420, ""],
  [{ perMinute: 9 }, "", 429, ""],
  [{ connections: 5, perSecond: 1 }, "", undefined, "; beyond them it gets 420 or 429"],
  [{ perSecond: 1 }, "limit_req_status 444;", undefined, ""],
])("the limits %j with the snippet %j stop with the status %s of the settings", (limits, text, status, more) => {
  const rateLimits = { connections: 0, perSecond: 0, perMinute: 0, ...limits };
  const features = { rateLimits, configurationSnippet: { text } } as unknown as FeatureValues;
  const host = { server: { features: { serverSnippet: { text: "" } } } };
  const at = { host, settings: { limitConnStatusCode: 420, limitReqStatusCode: 429 } } as unknown as Asked;
  const rates = lateChecks.filter((check) => check.name === "rateLimits");
  const { guards } = stopIn(rates, at, { features } as Location<FeatureValues>);
  expect(guards.map((guard) => guard.status)).toEqual([status]);
  expect(guards[0]?.says.endsWith(more)).toBe(true);
});

test("with satisfy: any each of several checks says that one is enough, and a client of the list may get in", () => {
  const features = (checks: "any" | "all") =>
    ({
      ...{ accessLists: { allow: ["192.0.2.1"], deny: [] }, satisfy: { checks }, configurationSnippet: { text: "" } },
      basicAuth: { kind: "ask", realm: "here" },
      externalAuth: { kind: "ask", question: { url: "http://auth.example/", signin: "" } },
    }) as unknown as FeatureValues;
  const at = { asked: { headers: new Map(), client: "192.0.2.9" }, settings: { noAuthLocations: [] } };
  const checks = lateChecks.filter(({ name }) => ["accessLists", "basicAuth", "externalAuth"].includes(name));
  const guardsOf = (value: FeatureValues) => {
    const location = { features: value, path: "/", owner: {} } as unknown as Location<FeatureValues>;
    return stopIn(checks, at as unknown as Asked, location).guards;
  };
  const any = guardsOf(features("any"));
  expect(any.map(({ outcome }) => outcome)).toEqual(["depends", "depends", "depends"]);
  expect(any.map(({ says }) => says.endsWith("; one passed check is enough (satisfy: any)"))).not.toContain(false);
  expect(any[0]?.says).toContain("192.0.2.9 may not");
  const [first] = guardsOf(features("all"));
  expect(first).toMatchObject({ outcome: "stops", says: "of clients only 192.0.2.1 may; 192.0.2.9 may not" });
});

test.each([
  [["*"], "stops"],
  [["https://b.example", "https://a.example"], "stops"],
  [["https://b.example"], "passes"],
  [[], undefined],
])("a preflight is answered by nginx for the origins %j: %s", (origins, outcome) => {
  const features = { cors: { enabled: true, origins } } as unknown as FeatureValues;
  const at = { asked: { method: "OPTIONS", headers: new Map([["origin", "https://a.example"]]) } } as unknown as Asked;
  const preflight = checksBeforeFilters.filter((check) => check.name === "preflight");
  const { guards } = stopIn(preflight, at, { features } as Location<FeatureValues>);
  expect(guards.map((guard) => guard.outcome)).toEqual(outcome === undefined ? [] : [outcome]);
});

test.each([
  ["more_set_headers 'a: b';", []],
  ["return 403;", ["configuration-snippet"]],
])("the configuration-snippet %j is among the guards: %j", (text, expected) => {
  const features = { configurationSnippet: { text } } as unknown as FeatureValues;
  const snippets = checksBeforeFilters.filter((check) => check.name === "configurationSnippet");
  const { guards } = stopIn(snippets, {} as Asked, { features } as Location<FeatureValues>);
  expect(guards.map(({ what }) => what)).toEqual(expected);
});

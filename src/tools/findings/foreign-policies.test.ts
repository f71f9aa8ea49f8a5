/** Policies of other controllers whose targets Sluice serves. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gateway, gatewayClass, route, serviceIn } from "../../../test/support/gateways.ts";
import { ingress } from "../../../test/support/ingress.ts";
import { compat } from "../../cli/compat.ts";
import { defaultFlags } from "../../controller/flags.ts";
import { fullSentence } from "../../core/model/problem.ts";
import { featureOf, isForListeners, whyNotOnRoutes } from "../../core/policies/on-routes.ts";
import { readManifest } from "../../edges/folder/manifest.ts";
import { findingsIn } from "../findings.ts";

const group = "gateway.networking.k8s.io";
const routed = route({ name: "web" });

function policy(kind: string, spec: object, namespace = "ns") {
  return { apiVersion: "gateway.envoyproxy.io/v1alpha1", kind, metadata: { name: "p", namespace }, spec };
}

function sentences(...objects: readonly object[]) {
  const text = objects.map((one) => JSON.stringify(one)).join("\n---\n");
  return findingsIn(new Map([["all.yaml", readManifest(text)]]), defaultFlags("serve")).flatMap(
    ({ severity, at, problem }) =>
      !problem.object.kind.endsWith("Policy") && problem.kind !== "annotation-useless" && problem.object.name !== "web"
        ? []
        : [`${at?.line}: ${severity}: ${fullSentence(problem)}`],
  );
}

const notRead = (kind: string, of = "gateway.envoyproxy.io") => `because Sluice does not read ${kind} of ${of}`;
const login = "auth-url of RouteSettings does the same; requests pass without it";

test("a guard of another controller is an error where Sluice serves its target", () => {
  const jwt = policy("SecurityPolicy", { targetRef: { group, kind: "HTTPRoute", name: "web" }, jwt: {} });
  expect(sentences(gatewayClass(), gateway({}), routed, jwt)).toEqual([
    `7: error: SecurityPolicy ns/p: spec.targetRef: HTTPRoute ns/web is served without this guard, ${notRead("SecurityPolicy")}; ${login}`,
  ]);
  const other = gatewayClass("sluice", "gateway.envoyproxy.io/gatewayclass-controller");
  expect(sentences(other, gateway({}), routed, jwt), "another controller serves the route").toEqual([]);
});

const served = [gatewayClass(), gateway({}), routed, serviceIn("ns", "web")];
const toRoute = { targetRefs: [{ group, kind: "HTTPRoute", name: "web" }] };
const toGateway = { targetRefs: [{ group, kind: "Gateway", name: "gw" }] };
const toService = { targetRefs: [{ group: "core", kind: "Service", name: "web" }] };
const noKey = "no key of RouteSettings does the same";
const limits = "limit-rps, limit-rpm and limit-connections of RouteSettings";

/** What stands there: group, kind, spec, and the advice of an error; undefined for a warning. */
const policies: readonly (readonly [string, string, object, string | undefined])[] = [
  ["gateway.envoyproxy.io", "SecurityPolicy", { ...toRoute, basicAuth: {} }, "auth-type and auth-secret"],
  [
    "gateway.envoyproxy.io",
    "SecurityPolicy",
    { ...toRoute, authorization: { rules: [{ principal: { clientCIDRs: [] } }] } },
    "whitelist-source-range",
  ],
  ["gateway.envoyproxy.io", "SecurityPolicy", toRoute, noKey],
  [
    "gateway.envoyproxy.io",
    "ClientTrafficPolicy",
    { ...toGateway, tls: { clientValidation: {} } },
    "spec.tls.frontend of the Gateway",
  ],
  ["gateway.envoyproxy.io", "ClientTrafficPolicy", { ...toGateway, http3: {}, clientIPDetection: {} }, undefined],
  ["gateway.envoyproxy.io", "BackendTrafficPolicy", { ...toRoute, rateLimit: { type: "Local" } }, limits],
  [
    "gateway.envoyproxy.io",
    "BackendTrafficPolicy",
    { ...toRoute, loadBalancer: { type: "ConsistentHash", consistentHash: { type: "SourceIP" } } },
    undefined,
  ],
  [
    "gateway.envoyproxy.io",
    "SecurityPolicy",
    { targetSelectors: [{ kind: "HTTPRoute", matchLabels: {} }], oidc: {} },
    "auth-url",
  ],
  ["gateway.envoyproxy.io", "EnvoyPatchPolicy", { ...toGateway, jsonPatches: [] }, "its text may be a guard"],
  ["gateway.nginx.org", "WAFPolicy", toGateway, "enable-modsecurity"],
  ["gateway.nginx.org", "RateLimitPolicy", toRoute, limits],
  ["gateway.nginx.org", "SnippetsPolicy", toGateway, "its text may be a guard"],
  ["gateway.nginx.org", "ClientSettingsPolicy", { ...toRoute, body: { maxSize: "1m" } }, undefined],
  ["gateway.nginx.org", "UpstreamSettingsPolicy", { ...toService, keepAlive: {} }, undefined],
  ["kuadrant.io", "AuthPolicy", { ...toRoute, rules: {} }, "auth-url"],
  ["kuadrant.io", "RateLimitPolicy", { ...toGateway, limits: {} }, limits],
  ["kuadrant.io", "TLSPolicy", { ...toGateway, issuerRef: {} }, undefined],
  ["security.istio.io", "AuthorizationPolicy", { ...toGateway, rules: [] }, "auth-url"],
  [
    "security.istio.io",
    "AuthorizationPolicy",
    { selector: { matchLabels: { "gateway.networking.k8s.io/gateway-name": "gw" } } },
    "auth-url",
  ],
  ["security.istio.io", "RequestAuthentication", { ...toGateway, jwtRules: [] }, "auth-url"],
  [
    "networking.istio.io",
    "DestinationRule",
    { host: "web", trafficPolicy: { tls: { mode: "SIMPLE" } } },
    "a BackendTLSPolicy verifies backends",
  ],
  [
    "networking.istio.io",
    "DestinationRule",
    { host: "web.ns.svc.cluster.local", trafficPolicy: { loadBalancer: {} } },
    undefined,
  ],
  [
    "cilium.io",
    "CiliumEnvoyConfig",
    {
      services: [{ name: "web", namespace: "ns" }],
      resources: [{ http_filters: [{ name: "envoy.filters.http.ext_authz" }] }],
    },
    "auth-url",
  ],
  ["cilium.io", "CiliumEnvoyConfig", { backendServices: [{ name: "web" }], resources: [] }, undefined],
  ["gateway.kgateway.dev", "TrafficPolicy", { ...toRoute, rbac: {} }, "auth-url"],
  ["gateway.kgateway.dev", "TrafficPolicy", { ...toRoute, transformation: {}, cors: { allowOrigins: [] } }, undefined],
  ["networking.gke.io", "GCPBackendPolicy", { ...toService, default: { iap: { enabled: true } } }, "auth-url"],
  ["networking.gke.io", "GCPBackendPolicy", { ...toService, default: { securityPolicy: "armor" } }, noKey],
  ["application-networking.k8s.aws", "IAMAuthPolicy", { targetRef: { kind: "Gateway", name: "gw" } }, "auth-url"],
  [
    "apisix.apache.org",
    "HTTPRoutePolicy",
    { ...toRoute, plugins: [{ name: "ip-restriction" }] },
    "whitelist-source-range",
  ],
  ["acme.example", "RetryPolicy", { ...toRoute, attempts: 5 }, undefined],
];

test.each(policies)(
  "%s %s with %j is an error if it guards, and names what does the same",
  (of, kind, spec, advice) => {
    const object = { apiVersion: `${of}/v1`, kind, metadata: { name: "p", namespace: "ns" }, spec };
    const files = new Map([
      ["all.yaml", readManifest([...served, object].map((one) => JSON.stringify(one)).join("\n---\n"))],
    ]);
    const found = findingsIn(files, defaultFlags("serve")).filter(({ problem }) => problem.object.name === "p");
    expect(found.map(({ severity }) => severity)).toEqual([advice === undefined ? "warning" : "error"]);
    if (advice !== undefined) expect(fullSentence(found[0]!.problem)).toContain(advice);
  },
);

test("every key that an advice names is one of RouteSettings", () => {
  const advised = policies.flatMap(
    ([, , , advice = ""]) => advice.match(/\b(?:auth|limit|whitelist|denylist|enable)-[a-z-]+/g) ?? [],
  );
  expect(advised.length).toBeGreaterThan(10);
  for (const key of [...advised, "denylist-source-range", "ssl-ciphers"])
    expect([key, featureOf(key) === undefined, whyNotOnRoutes(key) === undefined || isForListeners(key)]).toEqual([
      key,
      false,
      true,
    ]);
});

test("compat counts a guard of another controller as work", async () => {
  const exit = async (spec: object) => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
    const objects = [...served, ingress({ name: "web" }), policy("SecurityPolicy", { ...toRoute, ...spec })];
    writeFileSync(join(folder, "all.yaml"), objects.map((one) => JSON.stringify(one)).join("\n---\n"));
    const written: string[] = [];
    const out = { write: (text: string) => void written.push(text) };
    const status = await compat([folder, "-o", "json"], out as never);
    rmSync(folder, { recursive: true });
    return { status, text: written.join("") };
  };
  const { status, text } = await exit({ jwt: {} });
  expect(status).toBe(1);
  expect(text).toContain("auth-url of RouteSettings does the same");
});

test("a policy for the Service of a served route is reported if its kind belongs to another gateway", () => {
  const settings = (apiVersion: string, name = "web") => ({
    ...{ apiVersion, kind: "UpstreamSettingsPolicy", metadata: { name: "p", namespace: "ns" } },
    spec: { targetRefs: [{ group: "", kind: "Service", name }] },
  });
  const served = [gatewayClass(), gateway({}), routed, serviceIn("ns", "web"), serviceIn("ns", "other")];
  expect(sentences(...served, settings("gateway.nginx.org/v1alpha1"))).toEqual([
    "11: warning: UpstreamSettingsPolicy ns/p: spec.targetRefs[0]: Service ns/web is served without this policy, because Sluice does not read UpstreamSettingsPolicy of gateway.nginx.org; RouteSettings of its routes may do the same",
  ]);
  expect(sentences(...served, settings("gateway.nginx.org/v1alpha1", "other")), "no route names it").toEqual([]);
  expect(sentences(...served, settings("policy.linkerd.io/v1alpha1")), "a mesh may follow it").toEqual([]);
});

test("targets in lists and by labels are found in the policy's own namespace", () => {
  const refs = [
    { group, kind: "Gateway", name: "gone" },
    { group, kind: "Gateway", name: "gw" },
    { group: "", kind: "Service", name: "web" },
  ];
  const served = [gatewayClass(), gateway({}), gateway({ name: "two" })];
  expect(sentences(...served, policy("ClientTrafficPolicy", { targetRefs: refs }))).toEqual([
    "7: warning: ClientTrafficPolicy ns/p: spec.targetRefs[1]: Gateway ns/gw is served without this policy, because Sluice does not read ClientTrafficPolicy of gateway.envoyproxy.io; RouteSettings may do the same",
  ]);
  expect(sentences(...served, policy("ClientTrafficPolicy", { targetRefs: refs }, "elsewhere"))).toEqual([]);
  const selecting = (more: object) =>
    policy("BackendTrafficPolicy", { targetSelectors: [{ group, kind: "Gateway", ...more }] });
  expect(sentences(...served, selecting({}))).toEqual([
    "7: warning: BackendTrafficPolicy ns/p: spec.targetSelectors[0]: Gateway ns/gw, Gateway ns/two are served without this policy, because Sluice does not read BackendTrafficPolicy of gateway.envoyproxy.io; RouteSettings may do the same",
  ]);
  expect(sentences(...served, selecting({ matchLabels: { team: "web" } }))).toEqual([]);
});

test("annotations of Kong are reported on a route that Sluice serves", () => {
  const annotations = {
    "konghq.com/strip-path": "true",
    "konghq.com/plugins": "jwt",
    "konghq.com/preserve-host": "false",
  };
  const kong = { ...routed, metadata: { ...routed.metadata, annotations } };
  expect(sentences(gatewayClass(), gateway({}), kong)).toEqual([
    "5: warning: HTTPRoute ns/web: annotation konghq.com/strip-path has no effect: only Kong reads it, and Sluice serves this HTTPRoute; the filter URLRewrite with replacePrefixMatch: / does the same",
    "5: error: HTTPRoute ns/web: annotation konghq.com/plugins: only Kong reads it, and Sluice serves this HTTPRoute; no file has its plugin jwt, which may be a guard; auth-url, limit-rps or whitelist-source-range of RouteSettings may do the same; requests pass without it",
  ]);
  const plugin = (plugin: string) => ({
    ...{
      apiVersion: "configuration.konghq.com/v1",
      kind: "KongPlugin",
      metadata: { name: "jwt", namespace: "ns" },
      plugin,
    },
  });
  expect(sentences(gatewayClass(), gateway({}), kong, plugin("key-auth"))[1]).toContain(
    "its plugin jwt is a guard; auth-url of RouteSettings does the same",
  );
  for (const harmless of ["prometheus", "cors"])
    expect(sentences(gatewayClass(), gateway({}), kong, plugin(harmless))[1]).toContain("warning");
  expect(sentences(gatewayClass("sluice", "konghq.com/kic-gateway-controller"), gateway({}), kong)).toEqual([]);
});

/** Policies of other controllers whose targets Sluice serves. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, route, serviceIn } from "../../../../test/support/gateways.ts";
import { readManifest } from "../../../manifests/manifest.ts";
import { fullSentence } from "../../../problem.ts";
import { defaultFlags } from "../../flags.ts";
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
      !problem.object.kind.endsWith("Policy") && problem.kind !== "annotation-useless"
        ? []
        : [`${at?.line}: ${severity}: ${fullSentence(problem)}`],
  );
}

test("a policy of another controller is reported where Sluice serves its target", () => {
  const jwt = policy("SecurityPolicy", { targetRef: { group, kind: "HTTPRoute", name: "web" }, jwt: {} });
  expect(sentences(gatewayClass(), gateway({}), routed, jwt)).toEqual([
    "7: warning: SecurityPolicy ns/p: spec.targetRef: HTTPRoute ns/web is served without this policy, because Sluice does not read SecurityPolicy of gateway.envoyproxy.io; RouteSettings may do the same",
  ]);
  const other = gatewayClass("sluice", "gateway.envoyproxy.io/gatewayclass-controller");
  expect(sentences(other, gateway({}), routed, jwt), "another controller serves the route").toEqual([]);
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
    "5: warning: HTTPRoute ns/web: annotation konghq.com/plugins has no effect: only Kong reads it, and Sluice serves this HTTPRoute; filters of the route or RouteSettings may do the same",
  ]);
  expect(sentences(gatewayClass("sluice", "konghq.com/kic-gateway-controller"), gateway({}), kong)).toEqual([]);
});

/** The versions in which files may have objects of the Gateway API. */
import { expect, test } from "vitest";
import { readManifest } from "./manifest.ts";

const route = (version: string, kind: string, spec: string): string => `apiVersion: gateway.networking.k8s.io/${version}
kind: ${kind}
metadata: { name: a, namespace: ns }
spec: { parentRefs: [{ name: gw }], ${spec} }
`;
const rule = "{ backendRefs: [{ name: web, port: 80 }] }";
const policy = `apiVersion: gateway.networking.k8s.io/v1alpha3
kind: BackendTLSPolicy
metadata: { name: a, namespace: ns }
spec:
  targetRefs: [{ group: "", kind: Service, name: web }]
  validation: { hostname: web.example, wellKnownCACertificates: System }
`;

test.each([
  ["a TCPRoute of v1alpha2 with two rules", route("v1alpha2", "TCPRoute", `rules: [${rule}, ${rule}]`)],
  ["a UDPRoute of v1alpha2", route("v1alpha2", "UDPRoute", `rules: [${rule}]`)],
  ["a TLSRoute of v1alpha2 without hostnames", route("v1alpha2", "TLSRoute", `rules: [${rule}]`)],
  ["a TLSRoute of v1alpha3", route("v1alpha3", "TLSRoute", `hostnames: [a.example], rules: [${rule}]`)],
  ["a GRPCRoute of v1alpha2", route("v1alpha2", "GRPCRoute", `rules: [${rule}]`)],
  ["an HTTPRoute of v1beta1", route("v1beta1", "HTTPRoute", `rules: [${rule}]`)],
  ["a BackendTLSPolicy of v1alpha3", policy],
])("%s is read as one of v1", (_, text) => {
  const { objects, faults } = readManifest(text);
  expect(faults).toEqual([]);
  expect(objects).toHaveLength(1);
});

test.each([
  [
    "a TLSRoute of v1alpha3 without hostnames",
    route("v1alpha3", "TLSRoute", `rules: [${rule}]`),
    "hostnames is missing",
  ],
  ["a TCPRoute of v1beta1", route("v1beta1", "TCPRoute", `rules: [${rule}]`), "the API has no TCPRoute of"],
  [
    "an HTTPRoute of the first group",
    route("v1alpha1", "HTTPRoute", "forwardTo: []").replace("gateway.networking.k8s.io", "networking.x-k8s.io"),
    "Sluice does not read HTTPRoute of networking.x-k8s.io/v1alpha1; write gateway.networking.k8s.io/v1, whose fields may differ",
  ],
  [
    "an experimental ListenerSet",
    route("v1alpha1", "XListenerSet", "listeners: []").replace(
      "gateway.networking.k8s.io",
      "gateway.networking.x-k8s.io",
    ),
    "write gateway.networking.k8s.io/v1 and kind: ListenerSet",
  ],
  ["a policy with other fields", policy.replace("v1alpha3", "v1alpha2"), "the API has no BackendTLSPolicy of"],
])("%s is not applied", (_, text, why) => {
  const { objects, faults } = readManifest(text);
  expect(objects.filter(({ object }) => object !== undefined)).toEqual([]);
  expect(faults.map((one) => one.why).join()).toContain(why);
});

import { expect, test } from "vitest";
import type { ServedKind } from "../kube/requests.ts";
import { otherKinds } from "./other-kinds.ts";

const kinds: Readonly<Record<string, readonly ServedKind[]>> = {
  "apps/v1": [{ name: "deployments", kind: "Deployment" }],
  "networking.k8s.io/v1": [{ name: "networkpolicies", kind: "NetworkPolicy" }],
  "gateway.networking.k8s.io/v1": [{ name: "backendtlspolicies", kind: "BackendTLSPolicy" }],
  "gateway.networking.x-k8s.io/v1alpha1": [
    { name: "xbackendtrafficpolicies", kind: "XBackendTrafficPolicy" },
    { name: "xmeshes", kind: "XMesh" },
  ],
  "gateway.envoyproxy.io/v1alpha1": [
    { name: "securitypolicies", kind: "SecurityPolicy" },
    { name: "envoyproxies", kind: "EnvoyProxy" },
  ],
  "security.istio.io/v1": [{ name: "requestauthentications", kind: "RequestAuthentication" }],
  "cilium.io/v2": [{ name: "ciliumenvoyconfigs", kind: "CiliumEnvoyConfig" }],
};
const broken = { ok: false, failure: { code: 503, reason: "", message: "no" } } as never;
const signal = new AbortController().signal;

test("kinds of other controllers that may guard are found by their names, and groups that fail are left out", async () => {
  const found = await otherKinds(
    {
      groups: async () => ({ ok: true, value: [...Object.keys(kinds), "broken.example/v1"] }),
      kindsOf: async (version) => (kinds[version] === undefined ? broken : { ok: true, value: kinds[version] }),
    },
    signal,
  );
  expect(found.map(({ apiVersion, plural }) => `${plural}.${apiVersion}`)).toEqual([
    "xbackendtrafficpolicies.gateway.networking.x-k8s.io/v1alpha1",
    "securitypolicies.gateway.envoyproxy.io/v1alpha1",
    "requestauthentications.security.istio.io/v1",
    "ciliumenvoyconfigs.cilium.io/v2",
  ]);
  expect(await otherKinds({ groups: async () => broken, kindsOf: async () => broken }, signal)).toEqual([]);
});

/**
 * Reports how requests would be answered differently if routes in shadow served, by kind of
 * difference.
 */
import { expect, test } from "vitest";
import { gateway, gatewayClass, route, serviceIn } from "../../../../test/support/gateways.ts";
import { ingress, ingressClass } from "../../../../test/support/ingress.ts";
import { fake, put } from "../../../../test/support/sketch.ts";
import type { EndpointSlice, KubernetesObject } from "../../../core/model/objects.ts";
import { emptySnapshot } from "../../../core/model/snapshot.ts";
import { defaultOptions } from "../../../core/table/options.ts";
import { translate } from "../../../core/table/translator.ts";
import { emptyInputs } from "../../../core/table/turn.ts";
import { type Difference, shadowReports } from "./report.ts";

const options = { ownPaths: [], builtInPort: 8181, ports: { http: 80, https: 443 } };
const slice = (name: string): EndpointSlice => ({
  ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
  metadata: { name, namespace: "ns", labels: { "kubernetes.io/service-name": name } },
  endpoints: [{ addresses: ["192.0.2.7"], conditions: { ready: true } }],
  ports: [{ port: 80, protocol: "TCP" }],
});
const world = put(
  emptySnapshot,
  ...[gatewayClass(), ingressClass as KubernetesObject, gateway({})],
  ...["web", "new"].flatMap((name) => [serviceIn("ns", name), slice(name)]),
);

interface Words {
  /** Annotations of the Ingress, whose path is `/` unless it is given. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly path?: readonly [string, string, string];
  /** The rule of the route in shadow, by default for `/` and the Service `web`. */
  readonly rule?: object;
  readonly more?: readonly KubernetesObject[];
}

const toWeb = { backendRefs: [{ name: "web", port: 80 }] };

/** `now` names what takes the request now, in the form that nginx's Lua writes. */
function reported({ annotations = {}, path = ["/", "web", "Prefix"], rule = {}, more = [] }: Words, now?: string) {
  const shadow = route({ hostnames: ["a.test"], rules: [{ ...toWeb, ...rule }] });
  const hidden = { ...shadow, metadata: { ...shadow.metadata, annotations: { "sluice.dev/shadow": "true" } } };
  const own = ingress({ name: "web", host: "a.test", paths: [path], annotations });
  const { configuration } = translate(
    { ...emptyInputs, snapshot: put(world, own, hidden, ...more) },
    { ...defaultOptions, gateway: { ...defaultOptions.gateway, shared: "ns/gw" } },
    fake,
  );
  const [location] = configuration.shadows.get("ns/gw/http a.test")!.locations;
  const parties = `route\tns/route\t\t${location!.path}\t${now ?? `ingress\tns/web\t\t${path[0]}`}`;
  const line = JSON.stringify([3, `ns/gw/http\ta.test\t${parties}`, "GET http://a.test/api/x"]);
  return shadowReports(configuration, `${line}\nno JSON\n`, options);
}

const canary = (weight: string) =>
  ingress({
    ...{ name: "canary", host: "a.test", paths: [["/", "new"]] },
    annotations: { canary: "true", "canary-weight": weight },
  });
const both = (one: number, other: number) => ({
  backendRefs: [
    { name: "web", port: 80, weight: one },
    { name: "new", port: 80, weight: other },
  ],
});
const filter = (type: string, field: string, value: object) => ({ filters: [{ type, [field]: value }] });
const toRoot = { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } };

test.each<[string, Words, readonly Difference[]]>([
  ["the same Service", {}, ["same"]],
  ["another Service", { rule: { backendRefs: [{ name: "new", port: 80 }] } }, ["backend"]],
  ["a second Service", { rule: both(9, 1) }, ["backend"]],
  ["shares like those of a canary", { rule: both(9, 1), more: [canary("10")] }, ["same"]],
  ["other shares than a canary's", { rule: both(1, 1), more: [canary("10")] }, ["odds"]],
  ["a guard of the Ingress", { annotations: { "whitelist-source-range": "10.0.0.0/8" } }, ["guards"]],
  ["CORS of the Ingress", { annotations: { "enable-cors": "true" } }, ["filters"]],
  [
    "headers of the route",
    { rule: { ...toWeb, ...filter("RequestHeaderModifier", "requestHeaderModifier", { remove: ["x"] }) } },
    ["filters"],
  ],
  ["a redirect of the Ingress", { annotations: { "permanent-redirect": "https://b.test" } }, ["redirect"]],
  [
    "a redirect of the route",
    { rule: { backendRefs: [], ...filter("RequestRedirect", "requestRedirect", { hostname: "b.test" }) } },
    ["redirect"],
  ],
  ["a Service that does not exist", { rule: { backendRefs: [{ name: "gone", port: 80 }] } }, ["answer"]],
  [
    "a path that the Ingress rewrites",
    {
      annotations: { "rewrite-target": "/$2", "use-regex": "true" },
      path: ["/api(/|$)(.*)", "web", "ImplementationSpecific"],
    },
    ["path"],
  ],
  [
    "a path that both rewrite alike",
    {
      annotations: { "rewrite-target": "/$2", "use-regex": "true" },
      path: ["/api(/|$)(.*)", "web", "ImplementationSpecific"],
      rule: { matches: [{ path: { value: "/api" } }], ...filter("URLRewrite", "urlRewrite", toRoot) },
    },
    ["same"],
  ],
])("the report on %s names the differences, if there are any", (_, words, differences) => {
  expect(reported(words)).toEqual([
    expect.objectContaining({ host: "a.test", requests: 3, differences, example: "GET http://a.test/api/x" }),
  ]);
});

test("requests that only the route takes get an answer, and matches that have left the shadow are omitted", () => {
  const elsewhere = { path: ["/else", "web", "Prefix"] } as const;
  expect(reported(elsewhere, "nothing\t\t\t").map(({ differences }) => differences)).toEqual([["answer"]]);
  const served = route({ hostnames: ["a.test"], name: "live", age: 3 });
  expect(reported({ more: [served] }, "route\tns/live\t\t/").map(({ now }) => now.kind)).toEqual(["route"]);
  expect(reported({ more: [served] }, "route\tns/gone\t\t/").map(({ differences }) => differences)).toEqual([
    ["unclear"],
  ]);
});

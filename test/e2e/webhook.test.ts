import { once } from "node:events";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gatewaySuite } from "../../scripts/gateway-suite.ts";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { ingress } from "./support/shop.ts";
import { apply, installPod, ownPod, Sluice } from "./support/sluice.ts";
import { hook, installWebhook, tried as triedIn, webhookAddress, webhookFlags } from "./support/webhook.ts";

const { namespace } = ownPod;

let cluster: Cluster;
let sluice: Sluice;

beforeAll(async () => {
  cluster = await startCluster();
  await installPod(cluster);
  await apply(cluster, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }]);
  await installWebhook(cluster);
  sluice = new Sluice({ cluster, flags: [...webhookFlags, "--update-status=false", "--enable-metrics"] });
  await sluice.process.start();
  await until("the webhook answers", () => tried(ingress("first")).then((refusal) => refusal === ""));
});
afterAll(async () => {
  await sluice?.end();
  await cluster?.stop();
});

const tried = (object: object) => triedIn(cluster, object);

test("with the controller's own certificate, good Ingresses pass without a warning, again and again", async () => {
  expect(await tried(ingress("good"))).toBe("");
  expect(await tried(ingress("good", { annotations: { "nginx.ingress.kubernetes.io/proxy-read-timeout": "5" } }))).toBe(
    "",
  );
  expect(await cluster.kubectl(["get", "secret", "-n", namespace, hook, "-o", "jsonpath={.data.cert}"])).not.toBe("");
});

test("bad Ingresses are refused with a sentence that gives the reason", async () => {
  const bad = ingress("bad", { annotations: { "nginx.ingress.kubernetes.io/whitelist-source-range": "everywhere" } });
  expect(await tried(bad)).toMatch(/denied the request: annotation whitelist-source-range: .*; its paths answer 503/);
  const second = { ...ingress("good"), metadata: { namespace: "shop", name: "second" } };
  await until("the webhook knows the Ingress that was stored", async () =>
    (await tried(second)).includes(
      "path / of host good.example belongs to the older Ingress shop/good; this one is ignored",
    ),
  );
  expect(await cluster.kubectl(["get", "ingress", "-n", "shop", "-o", "name"])).not.toMatch(/bad|second/);
});

const broken = (path: string, pathType: string, annotations: Readonly<Record<string, string>> = {}) => {
  const written = ingress("broken", { annotations }) as { spec: { rules: { http: { paths: object[] } }[] } };
  const [rule] = written.spec.rules;
  const paths = rule!.http.paths.map((one) => ({ ...one, path, pathType }));
  return { ...written, spec: { ...written.spec, rules: [{ ...rule, http: { paths } }] } };
};
const prefix = "nginx.ingress.kubernetes.io";

test.each([
  ["a snippet", ingress("broken", { annotations: { [`${prefix}/configuration-snippet`]: "return 200;" } }), /snippet/],
  ["a path that its type does not allow", broken("/a(b", "Exact"), /may only hold letters, digits/],
  [
    "a malformed pattern",
    broken("/a(b", "ImplementationSpecific", { [`${prefix}/use-regex`]: "true" }),
    /is not a regular/,
  ],
])("an Ingress with %s is refused", async (_what, object, expected) => {
  expect(await tried(object)).toMatch(expected);
  expect(await tried(object)).toMatch(/denied the request/);
});

test("annotations without effect pass with a warning", async () => {
  const useless = ingress("useless", { annotations: { "nginx.ingress.kubernetes.io/proxy-raed-timeout": "5" } });
  expect(await tried(useless)).toMatch(
    /Warning: annotation proxy-raed-timeout does not exist .did you mean proxy-read-timeout/,
  );
  expect(await cluster.kubectl(["get", "ingress", "-n", "shop", "useless", "-o", "name"])).toContain("useless");
});

test("the largest Ingress that the API server accepts is reviewed within the API server's time limit", async () => {
  const large = structuredClone(ingress("large")) as { spec: { rules: { http: { paths: { path: string }[] } }[] } };
  const [path] = large.spec.rules[0]!.http.paths;
  large.spec.rules[0]!.http.paths = Array.from({ length: 6_000 }, (_, at) => ({
    ...path!,
    path: `/some/longer/path/${at}`,
  }));
  const text = JSON.stringify(large);
  expect(text.length).toBeGreaterThan(500_000);
  // The Ingress is allowed. Only the search for paths without effect is skipped, and a warning says
  // so.
  expect(await tried(large)).toBe(
    "Warning: spec.rules: host large.example has more than 4000 paths together with those of other Ingresses; " +
      "the webhook does not look for paths that do nothing; Events name them\nerror: 1 warning received",
  );
});

test("the webhook's certificate is renewed during reviews, and none of them fails", async () => {
  const before = await servedCertificate();
  await cluster.kubectl(["delete", "secret", "--namespace", namespace, hook]);
  await until(
    "another certificate is served",
    async () => {
      expect(await tried(ingress("good"))).toBe("");
      return (await servedCertificate()) !== before;
    },
    // This is less than the minute after which it is checked without a reason.
    40_000,
  );
  for (let more = 0; more < 5; more++) expect(await tried(ingress("good"))).toBe("");
});

/** Returns the fingerprint of the served certificate. */
async function servedCertificate(): Promise<string> {
  const socket = connect({ ...webhookAddress, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test("Gateways and routes are stored, with warnings that predict their conditions", async () => {
  await cluster.kubectl(["apply", "--server-side", "--filename", gatewaySuite.definitions("standard")]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  const apiVersion = "gateway.networking.k8s.io/v1";
  const named = (name: string) => ({ namespace: "shop", name });
  const controllerName = "sluice.dev/gateway-controller";
  const listeners = [
    { name: "web", port: 80, protocol: "HTTP" },
    { name: "stream", port: 9000, protocol: "example.com/strange" },
  ];
  const route = {
    apiVersion,
    kind: "HTTPRoute",
    metadata: named("lost"),
    spec: { parentRefs: [{ name: "nowhere" }], rules: [{ backendRefs: [{ name: "echo-a", port: 80 }] }] },
  };
  await apply(cluster, [{ apiVersion, kind: "GatewayClass", metadata: { name: "sluice" }, spec: { controllerName } }]);
  const warned = /Warning: spec.parentRefs: Gateway shop\/nowhere not found; the route is not attached there/;
  // Discovery runs every 30 s, and the machine may be busy.
  await until("the controller knows the kinds", async () => warned.test(await tried(route)), 180_000);
  const gateway = {
    apiVersion,
    kind: "Gateway",
    metadata: named("some"),
    spec: { gatewayClassName: "sluice", listeners },
  };
  const refusal = await tried(gateway);
  expect(refusal).toMatch(/Warning: spec.listeners\[1\].protocol: example.com\/strange is not /);
  expect(refusal).not.toContain("denied");
  const stored = await cluster.kubectl(["get", "gateways,httproutes", "--namespace=shop", "--output=name"]);
  expect(stored.split("\n").filter((line) => line !== "")).toHaveLength(2);
});

test("without the controller the webhook fails as it is configured", async () => {
  await sluice.process.stop();
  expect(await tried(ingress("later"))).toMatch(/failed calling webhook/);
  const patch = [{ op: "replace", path: "/webhooks/0/failurePolicy", value: "Ignore" }];
  await cluster.kubectl(["patch", "validatingwebhookconfiguration", hook, "--type=json", "-p", JSON.stringify(patch)]);
  await until("the API server goes without", async () => (await tried(ingress("later"))) === "");
});

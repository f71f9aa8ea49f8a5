/**
 * Tests Gateways, ListenerSets and HTTPRoutes in a real cluster: kinds that are installed and
 * removed, missing rights, and correct statuses.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { gatewayApiVersion, gatewaySuite } from "../../scripts/gateway-suite.ts";
import type { Condition } from "../../src/core/model/gateway/objects.ts";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { sharedPki } from "../support/pki.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { untilAllowed } from "./support/rights.ts";
import { answerOf, ingress, openShop, type Shop, serviceAt, shopObjects } from "./support/shop.ts";
import { apply, installPod, Sluice } from "./support/sluice.ts";

/** An account that may watch the kinds that Ingresses need, and none of the Gateway API. */
const account = "system:serviceaccount:ingress-nginx:older";
const pool = { first: "192.0.2.31", second: "192.0.2.32" };
const rules = [
  { apiGroups: ["networking.k8s.io"], resources: ["ingresses", "ingressclasses"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["networking.k8s.io"], resources: ["ingresses/status"], verbs: ["update"] },
  {
    apiGroups: [""],
    resources: ["services", "secrets", "configmaps", "endpoints", "pods", "nodes"],
    verbs: ["get", "list", "watch"],
  },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
];

/** Discovery runs every 30 s, and the machine may be busy. */
const longMs = 180_000;

let cluster: Cluster;
let shop: Shop;
const running: Sluice[] = [];

beforeAll(async () => {
  const users = [{ name: account, groups: ["system:serviceaccounts"] }];
  [cluster, shop] = await Promise.all([startCluster({ users }), openShop()]);
  await installPod(cluster);
  await apply(cluster, [...shopObjects, ingress("web")]);
});
afterEach(async () => {
  for (const sluice of running.splice(0)) await sluice.end();
  for (const kind of ["httproutes", "listenersets", "gateways", "referencegrants"])
    await cluster.kubectl(["delete", kind, "--all", "--all-namespaces"]).catch(() => "");
});
afterAll(async () => {
  await shop?.stop();
  await cluster?.stop();
});

interface Start {
  readonly user?: string;
  readonly pod?: string;
  readonly flags?: readonly string[];
  readonly healthPort?: number;
}

async function start(options: Start = {}): Promise<Sluice> {
  const { user, pod = "controller-0", flags: more = [], healthPort = 10_254 } = options;
  if (pod !== "controller-0") await installPod(cluster, { namespace: "ingress-nginx", name: pod });
  const flags = [`--gateway-addresses=${pool.first}-${pool.second}`, "--election-ttl=4s", "--enable-metrics", ...more];
  const sluice = new Sluice({
    cluster,
    flags,
    healthPort,
    pod: { namespace: "ingress-nginx", name: pod },
    ...(user ? { user } : {}),
  });
  running.push(sluice);
  await sluice.process.start();
  return sluice;
}

const definitions = gatewaySuite.definitions("standard");
async function installKinds(): Promise<void> {
  await cluster.kubectl(["apply", "--server-side", "--filename", definitions]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
}

const apiVersion = "gateway.networking.k8s.io/v1";
const gatewayClass = {
  apiVersion,
  kind: "GatewayClass",
  metadata: { name: "sluice" },
  spec: { controllerName: "sluice.dev/gateway-controller" },
};
const gateway = (name: string, ports: readonly number[] = [80]) => ({
  apiVersion,
  kind: "Gateway",
  metadata: { namespace: "shop", name },
  spec: {
    gatewayClassName: "sluice",
    listeners: ports.map((port) => ({ name: `port-${port}`, port, protocol: "HTTP" })),
  },
});
const route = (name: string, backend: object = { name: "echo-a", port: 80 }) => ({
  apiVersion,
  kind: "HTTPRoute",
  metadata: { namespace: "shop", name },
  spec: { parentRefs: [{ name: "public" }], hostnames: [`${name}.example`], rules: [{ backendRefs: [backend] }] },
});

interface WithStatus extends KubernetesObject {
  readonly status?: {
    readonly addresses?: readonly { readonly value: string }[];
    readonly conditions?: readonly Condition[];
    readonly listeners?: readonly { readonly attachedRoutes: number }[];
    readonly parents?: readonly { readonly conditions: readonly Condition[] }[];
  };
}

const read = async (kind: string, name: string): Promise<WithStatus> =>
  JSON.parse(await cluster.kubectl(["get", kind, name, "--namespace=shop", "-o", "json"]));

/**
 * Returns the status and reason of a condition, such as `True RouteAccepted`, if it is about the
 * present generation.
 */
async function condition(kind: string, name: string, type: string): Promise<string> {
  const { status, metadata } = await read(kind, name);
  const all = [...(status?.conditions ?? []), ...(status?.parents?.[0]?.conditions ?? [])];
  const found = all.find((one) => one.type === type && one.observedGeneration === metadata.generation);
  return found === undefined ? "" : `${found.status} ${found.reason}`;
}
const becomes = (kind: string, name: string, type: string, wanted: string) =>
  until(`${kind} ${name} is ${type} ${wanted}`, async () => (await condition(kind, name, type)) === wanted, longMs);

const routeStatus = (name: string) =>
  request({ to: `${pool.first}:80`, host: `${name}.example` }).then(
    ({ status }) => status,
    () => 0,
  );

test("kinds that are installed later are served, and removed kinds leave nothing", async () => {
  const sluice = await start();
  await until("the Ingress answers", async () => (await answerOf("web")) === "echo-a");
  expect(sluice.log).not.toContain("Gateway API");
  await installKinds();
  await apply(cluster, [gatewayClass, gateway("public"), route("late")]);
  await becomes("gateway", "public", "Programmed", "True Programmed");
  await until("the route answers", async () => (await routeStatus("late")) === 200);
  expect(sluice.log.match(/the API server has kinds of the Gateway API/g)).toHaveLength(1);

  await cluster.kubectl(["delete", "crd", "httproutes.gateway.networking.k8s.io"]);
  await until("the route has gone", async () => (await routeStatus("late")) === 404, longMs);
  await until(
    "the log reports it once",
    () => sluice.log.includes("the API server does not have these kinds any more"),
    longMs,
  );
  expect(await answerOf("web")).toBe("echo-a");
  expect(await sluice.health()).toBe(200);
  // There is no warning about a kind that never existed. On a busy machine a replica may lose its
  // Lease for a moment, which is a warning of its own.
  const warnings = sluice.log.split("\n").filter((line) => line.includes('"level":"warn"'));
  expect(warnings.filter((line) => !line.includes("this replica no longer leads"))).toEqual([]);
});

test("without rights to the kinds Ingresses are served, health is good, and one line reports it", async () => {
  await installKinds();
  const metadata = { name: "older" };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: account }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "older" };
  await apply(cluster, [
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata, rules },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", metadata, subjects, roleRef },
  ]);
  await untilAllowed(cluster, account, [{ rules }]);
  const sluice = await start({ user: account });
  await until("the Ingress answers", async () => (await answerOf("web")) === "echo-a");
  expect(await sluice.health()).toBe(200);
  const lines = sluice.log.split("\n").filter((line) => line.includes("refuses to list"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"level":"info"');
  expect(lines[0]).toContain("gatewayclasses, gateways, httproutes, referencegrants, grpcroutes");
  expect(lines[0]).toContain("namespaces");
});

test("a route that is accepted answers, and a listener that is programmed listens", async () => {
  await installKinds();
  await start();
  await apply(cluster, [gatewayClass, gateway("public")]);
  await becomes("gateway", "public", "Programmed", "True Programmed");
  expect((await read("gateway", "public")).status?.addresses?.map(({ value }) => value)).toEqual([pool.first]);
  for (const name of ["one", "two", "three", "four", "five"]) {
    await apply(cluster, [route(name)]);
    await becomes("httproute", name, "Accepted", "True Accepted");
    expect(await routeStatus(name)).toBe(200);
  }
  for (const port of [8090, 8091]) {
    await apply(cluster, [gateway("public", [80, port])]);
    await becomes("gateway", "public", "Programmed", "True Programmed");
    const { status } = await request({ to: `${pool.first}:${port}`, host: "one.example" });
    expect(status).toBe(200);
  }
});

test("requests are counted by route, and the metrics have the version that is live", async () => {
  await installKinds();
  await start();
  await apply(cluster, [gatewayClass, gateway("public"), route("one")]);
  await becomes("httproute", "one", "Accepted", "True Accepted");
  for (let i = 0; i < 3; i += 1) expect(await routeStatus("one")).toBe(200);
  const scraped = async () => (await request({ to: "127.0.0.1:10254", path: "/metrics" })).body;
  const counted =
    /^nginx_ingress_controller_requests\{(?=.*host="one\.example")(?=.*gateway="shop\/public",listener="port-80",route="shop\/one").*\} 3$/m;
  await until("the requests are counted", async () => counted.test(await scraped()));
  const text = await scraped();
  expect(text).toContain('sluice_gateways{state="ready"} 1');
  expect(text).toContain('sluice_gateway_listeners{state="ready"} 1');
  expect(text).toContain("sluice_gateway_attached_routes 1");
  const version = () => /sluice_gateway_live_info\{version="(\w+)"\} 1/.exec(text)?.[1];
  expect(version()).toMatch(/^[\da-f]{12}$/);
  await apply(cluster, [route("two")]);
  await until("another version is live", async () => !(await scraped()).includes(`version="${version()}"`));
});

test("the shared Gateway has the port and addresses of Ingresses, and a path that moves to a route causes an Event", async () => {
  await installKinds();
  const published = "198.51.100.7";
  await start({ flags: ["--shared-gateway=shop/public", `--publish-status-address=${published}`] });
  await until("the Ingress answers", async () => (await answerOf("web")) === "echo-a");
  const moving = { ...route("web", { name: "echo-b", port: 80 }) };
  await apply(cluster, [gatewayClass, gateway("public"), moving]);
  await becomes("gateway", "public", "Programmed", "True Programmed");
  await until("the route answers at the Ingress's port", async () => (await answerOf("web")) === "echo-b");
  const addresses = async () => (await read("gateway", "public")).status?.addresses?.map(({ value }) => value);
  await until("its addresses are those of Ingresses", async () => (await addresses())?.join() === published, longMs);
  const about = ["get", "events", "--namespace=shop", "--field-selector=involvedObject.name=web", "-o", "json"];
  const words = "HTTPRoute shop/web of the same namespace has path / of host web.example, too; its requests go there";
  await until(
    "the Ingress's Event names the route",
    async () => (await cluster.kubectl(about)).includes(words),
    longMs,
  );
  const annotations = { "sluice.dev/weight": "0" };
  await apply(cluster, [{ ...moving, metadata: { ...moving.metadata, annotations } }]);
  await until("the weight gives the path back", async () => (await answerOf("web")) === "echo-a");
  await cluster.kubectl(["delete", "httproute", "web", "--namespace=shop"]);
  expect(await answerOf("web")).toBe("echo-a");
});

test("a mistake causes an Event of the object that has it", async () => {
  await installKinds();
  await start();
  await apply(cluster, [gatewayClass, gateway("public"), route("lost", { name: "nowhere", port: 80 })]);
  const about = '{.items[?(@.involvedObject.kind=="HTTPRoute")]';
  const fields = ["apiVersion", "name"].map((field) => `${about}.involvedObject.${field}}`).join(" ");
  const asked = ["get", "events", "--namespace=shop", "-o", `jsonpath=${fields} ${about}.type}`];
  await until("the Event is there", async () => (await cluster.kubectl(asked)) === `${apiVersion} lost Warning`);
  await becomes("httproute", "lost", "ResolvedRefs", "False BackendNotFound");
});

test("a ListenerSet is served with its certificate, counted by its Gateway, and removed with its object", async () => {
  await installKinds();
  await start();
  const pki = await sharedPki();
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const data = { "tls.crt": base64(pki.tls.certificate), "tls.key": base64(pki.tls.key) };
  const named = (name: string) => ({ namespace: "shop", name });
  const set = (name: string, hostname: string) => ({
    apiVersion,
    kind: "ListenerSet",
    metadata: named(name),
    spec: {
      parentRef: { name: "public" },
      listeners: [
        { name: "web", port: 80, protocol: "HTTP", hostname },
        { name: "secure", port: 443, protocol: "HTTPS", hostname, tls: { certificateRefs: [{ name: "of-set" }] } },
      ],
    },
  });
  const open = { ...gateway("public").spec, allowedListeners: { namespaces: { from: "Same" } } };
  const parentRefs = [{ kind: "ListenerSet", name: "more" }];
  await apply(cluster, [
    gatewayClass,
    { ...gateway("public"), spec: open },
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/tls",
      metadata: named("of-set"),
      data,
    } as KubernetesObject,
    set("more", "more.example"),
    { ...route("more"), spec: { ...route("more").spec, parentRefs } },
  ]);
  await becomes("listenerset", "more", "Programmed", "True Programmed");
  await becomes("httproute", "more", "Accepted", "True Accepted");
  expect(await routeStatus("more")).toBe(200);
  const secure = () => request({ to: `${pool.first}:443`, host: "more.example", sni: "more.example" });
  expect((await secure()).status).toBe(200);
  const sets = async () =>
    cluster.kubectl(["get", "gateway", "public", "--namespace=shop", "-o", "jsonpath={.status.attachedListenerSets}"]);
  expect(await sets()).toBe("1");

  await apply(cluster, [set("younger", "more.example")]);
  await becomes("listenerset", "younger", "Accepted", "False ListenersNotValid");
  const about = ["get", "events", "--namespace=shop", "--field-selector=involvedObject.kind=ListenerSet"];
  const messages = async () => cluster.kubectl([...about, "-o", "jsonpath={.items[*].message}"]);
  await until("the Event", async () =>
    (await messages()).includes("the older ListenerSet more has hostname more.example"),
  );
  expect(await sets()).toBe("1");
  await cluster.kubectl(["delete", "listenerset", "more", "--namespace=shop"]);
  await becomes("listenerset", "younger", "Accepted", "True Accepted");
  await cluster.kubectl(["delete", "gateway", "public", "--namespace=shop"]);
  await becomes("listenerset", "younger", "Accepted", "Unknown Pending");
});

test("revoking a grant ends the route's requests to the other namespace", async () => {
  await installKinds();
  await start();
  const elsewhere = { apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } };
  const moved = serviceAt("echo-c", "192.0.2.12").map((object) => {
    const { metadata, ...rest } = object as KubernetesObject;
    return { ...rest, metadata: { ...metadata, namespace: "elsewhere" } };
  });
  const grant = {
    apiVersion,
    kind: "ReferenceGrant",
    metadata: { namespace: "elsewhere", name: "routes" },
    spec: {
      from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "shop" }],
      to: [{ group: "", kind: "Service" }],
    },
  };
  const backend = { name: "echo-c", namespace: "elsewhere", port: 80 };
  await apply(cluster, [elsewhere, ...moved, grant, gatewayClass, gateway("public"), route("far", backend)]);
  await becomes("httproute", "far", "ResolvedRefs", "True ResolvedRefs");
  await until("the route answers", async () => (await routeStatus("far")) === 200);
  await cluster.kubectl(["delete", "referencegrant", "routes", "--namespace=elsewhere"]);
  await until("the route is refused", async () => (await routeStatus("far")) === 500);
  await becomes("httproute", "far", "ResolvedRefs", "False RefNotPermitted");
});

test("a new leader writes nothing that is right already, and continues from there", async () => {
  await installKinds();
  const first = await start();
  await apply(cluster, [gatewayClass, gateway("public"), route("one")]);
  await becomes("gateway", "public", "Programmed", "True Programmed");
  await becomes("httproute", "one", "Accepted", "True Accepted");
  const [before, routeBefore] = [await read("gateway", "public"), await read("httproute", "one")];
  await first.end();
  running.splice(0);
  const second = await start({ pod: "controller-1" });
  await until("it leads", () => second.log.includes("this replica leads"));
  await apply(cluster, [route("two")]);
  await becomes("httproute", "two", "Accepted", "True Accepted");
  const [after, routeAfter] = [await read("gateway", "public"), await read("httproute", "one")];
  expect(after.status?.conditions).toEqual(before.status?.conditions);
  expect(after.status?.addresses).toEqual(before.status?.addresses);
  // The status of this route has not changed, so it was not written at all.
  expect(routeAfter.metadata.resourceVersion).toBe(routeBefore.metadata.resourceVersion);
});

test("when the leader's Pod dies, the other replica takes over, and no status has a gap or a new time", async () => {
  await installKinds();
  const shared = ["--shared-gateway=shop/public", "--publish-status-address=198.51.100.7"];
  const first = await start({ flags: shared });
  await until("the first one leads", () => first.log.includes("this replica leads"));
  const besides = [
    "--http-port=10080",
    "--https-port=10443",
    "--status-port=10247",
    "--default-server-port=10182",
    "--profiler-port=10248",
  ];
  await start({ pod: "controller-1", healthPort: 10_255, flags: [...shared, ...besides] });
  const second = running[1]!;
  const lost = route("lost", { name: "nowhere", port: 80 });
  await apply(cluster, [gatewayClass, gateway("public"), route("one"), route("two"), lost]);
  await becomes("gateway", "public", "Programmed", "True Programmed");
  for (const name of ["one", "two", "lost"]) await becomes("httproute", name, "Accepted", "True Accepted");
  const answerOfSecond = () =>
    request({ to: "127.0.0.1:10080", host: "one.example" }).then(
      ({ status }) => status,
      () => 0,
    );
  await until("the second one answers", async () => (await answerOfSecond()) === 200);
  const published = async () => (await read("gateway", "public")).status?.addresses?.map(({ value }) => value);
  await until("the addresses of Ingresses", async () => (await published())?.join() === "198.51.100.7", longMs);
  const counted = async () => (await read("gateway", "public")).status?.listeners?.[0]?.attachedRoutes;
  await until("its routes are counted", async () => (await counted()) === 3);
  const [publicBefore, oneBefore, twoBefore, lostBefore] = await everything();

  expect(second.log).not.toContain("this replica leads");
  await first.end();
  running.shift();
  // No replica leads now, so changes wait for the next leader.
  await apply(cluster, [route("two", { name: "echo-b", port: 80 }), gateway("private", [8090])]);
  expect(await answerOfSecond()).toBe(200);
  await becomes("gateway", "private", "Programmed", "True Programmed");
  expect(second.log).toContain("this replica leads");
  await becomes("httproute", "two", "Accepted", "True Accepted");
  const [publicAfter, oneAfter, twoAfter, lostAfter] = await everything();
  // An object that was not written has kept its status all the time.
  const version = ({ metadata }: WithStatus) => metadata.resourceVersion;
  expect([publicAfter, oneAfter, lostAfter].map(version)).toEqual([publicBefore, oneBefore, lostBefore].map(version));
  const times = ({ status }: WithStatus) =>
    status?.parents?.[0]?.conditions.map(({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`);
  expect(times(twoBefore)).toHaveLength(2);
  expect(times(twoAfter)).toEqual(times(twoBefore));
});

const everything = () =>
  Promise.all([
    read("gateway", "public"),
    read("httproute", "one"),
    read("httproute", "two"),
    read("httproute", "lost"),
  ]);

test("a GatewayClass has a condition about the version of the definitions, and an upgrade changes only that", async () => {
  await installKinds();
  const sluice = await start();
  await apply(cluster, [gatewayClass, gateway("public"), route("one")]);
  await becomes("httproute", "one", "Accepted", "True Accepted");
  const supported = async () => {
    const asked = ["get", "gatewayclass", "sluice", "-o", "json"];
    const { status }: WithStatus = JSON.parse(await cluster.kubectl(asked));
    const found = status?.conditions?.find(({ type }) => type === "SupportedVersion");
    return `${found?.status} ${found?.message}`;
  };
  await until("it is known", async () => (await supported()).startsWith("True "));
  expect(await supported()).toBe(`True the definitions of the Gateway API are of v${gatewayApiVersion}`);
  const definition = "gateways.gateway.networking.k8s.io";
  const annotate = (version: string) =>
    cluster.kubectl([
      "annotate",
      "--overwrite",
      "crd",
      definition,
      `gateway.networking.k8s.io/bundle-version=${version}`,
    ]);
  await annotate("v9.9.9");
  const words = `False the definition ${definition} is of v9.9.9. Sluice knows `;
  await until("the condition names the definition", async () => (await supported()).startsWith(words), longMs);
  expect(sluice.log).toContain("the definitions of the Gateway API are of a version that Sluice does not know");
  await apply(cluster, [route("two")]);
  await becomes("httproute", "two", "Accepted", "True Accepted");
  expect(await routeStatus("two")).toBe(200);
  await annotate(`v${gatewayApiVersion}`);
  await until("it is as before", async () => (await supported()).startsWith("True "), longMs);
});

test("kinds that the API server has only in versions before v1 are served and get a status", async () => {
  await installKinds();
  const earlier = [
    ["tlsroutes", "v1alpha3"],
    ["tcproutes", "v1alpha2"],
  ] as const;
  const serveOnly = async (plural: string, version: string): Promise<void> => {
    const name = `${plural}.gateway.networking.k8s.io`;
    const { spec } = JSON.parse(await cluster.kubectl(["get", "crd", name, "-o", "json"]));
    const versions = spec.versions.map((one: { name: string }) => ({ ...one, served: one.name === version }));
    await cluster.kubectl(["patch", "crd", name, "--type=merge", "--patch", JSON.stringify({ spec: { versions } })]);
    const isServed = new RegExp(`^${plural} .*/${version} `, "m");
    const resources = () => cluster.kubectl(["api-resources", "--api-group=gateway.networking.k8s.io"]);
    await until(`${plural} of ${version}`, async () => isServed.test(await resources()), longMs);
  };
  for (const [plural, version] of earlier) await serveOnly(plural, version);
  await start();
  const parentRefs = (sectionName: string) => [{ name: "public", sectionName }];
  const rules = [{ backendRefs: [{ name: "echo-a", port: 80 }] }];
  const objectOf = (version: string, kind: string, name: string, spec: object) => ({
    apiVersion: `gateway.networking.k8s.io/${version}`,
    kind,
    metadata: { namespace: "shop", name },
    spec,
  });
  const listeners = [
    { name: "tcp", port: 5432, protocol: "TCP" },
    { name: "tls", port: 8443, protocol: "TLS", hostname: "a.example", tls: { mode: "Passthrough" } },
  ];
  await apply(cluster, [
    gatewayClass,
    { ...gateway("public"), spec: { gatewayClassName: "sluice", listeners } },
    objectOf("v1alpha2", "TCPRoute", "db", { parentRefs: parentRefs("tcp"), rules }),
    objectOf("v1alpha3", "TLSRoute", "vault", { parentRefs: parentRefs("tls"), hostnames: ["a.example"], rules }),
  ]);
  await becomes("tcproute", "db", "Accepted", "True Accepted");
  await becomes("tlsroute", "vault", "Accepted", "True Accepted");
  const answer = () =>
    request({ to: `${pool.first}:5432`, host: "any.example" }).then(
      ({ status }) => status,
      () => 0,
    );
  await until("the backend behind the TCPRoute answers", async () => (await answer()) === 200, longMs);
  await cluster.kubectl(["delete", "tcproutes,tlsroutes", "--all", "--namespace=shop"]);
  for (const [plural] of earlier) await serveOnly(plural, "v1");
});

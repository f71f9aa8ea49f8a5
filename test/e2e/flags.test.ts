/**
 * Tests flags about a cluster, each observed in the cluster or by a client. Two controllers, one
 * after the other, have all of them, because a start takes longer than a check.
 * `test/nginx/flags.test.ts` has the flags that need no cluster.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { untilAllowed } from "./support/rights.ts";
import { answerOf, ingress, openShop, type Shop, shopObjects } from "./support/shop.ts";
import { apply, ingressClass, installPod, ownPod, patchStatus, Sluice } from "./support/sluice.ts";

let cluster: Cluster;
let shop: Shop;

beforeAll(async () => {
  [cluster, shop] = await Promise.all([startCluster(), openShop()]);
  await installPod(cluster);
  const elsewhere = { apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } };
  await apply(cluster, [...shopObjects, elsewhere, ...servicesOf("elsewhere")]);
});
afterAll(async () => {
  await shop?.stop();
  await cluster?.stop();
});

/** Returns the Services and EndpointSlices of the shop, in another namespace. */
function servicesOf(namespace: string): readonly object[] {
  return (shopObjects as readonly { readonly metadata: object; readonly kind: string }[])
    .filter(({ kind }) => kind !== "Namespace")
    .map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
}

const answers = (name: string, expected: string | number) =>
  until(`${name} answers ${expected}`, async () => (await answerOf(name)) === expected);
const addressesOf = (name: string) => {
  const print = "jsonpath={.status.loadBalancer.ingress[*].ip}";
  return cluster.kubectl(["get", "ingress", name, "--namespace=shop", "-o", print]);
};
const leaseOf = () =>
  cluster.kubectl([
    ...["get", "leases", "--namespace", ownPod.namespace, "-o"],
    "jsonpath={range .items[*]}{.metadata.name} {.spec.leaseDurationSeconds}{end}",
  ]);

describe("a controller with flags for what it watches and where the API server is", () => {
  const hook = "own-webhook";
  let sluice: Sluice;

  beforeAll(async () => {
    // The controller has no kubeconfig: it gets only the address and the authority.
    await cluster.kubectl([
      "create",
      "clusterrolebinding",
      "all",
      "--clusterrole=cluster-admin",
      "--user=system:anonymous",
    ]);
    const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
    await untilAllowed(cluster, "system:anonymous", [{ rules: [everything] }]);
    await cluster.kubectl(["label", "namespace", "shop", "team=shop"]);
    await cluster.kubectl(["label", "node", "node-1", "topology.kubernetes.io/zone=east"]);
    const addresses = [
      { type: "ExternalIP", address: "198.51.100.7" },
      { type: "InternalIP", address: "192.0.2.1" },
    ];
    await patchStatus(cluster, ["node", "node-1"], { addresses });
    await apply(cluster, [
      ingressClass("edge", "example.com/other"),
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: hook },
        webhooks: [webhook],
      },
    ]);
    sluice = new Sluice({
      cluster,
      kubeconfig: false,
      flags: [
        `--apiserver-host=${cluster.url}`,
        `--certificate-authority=${cluster.authority.certificateFile}`,
        "--ingress-class=edge",
        "--ingress-class-by-name",
        "--watch-ingress-without-class",
        "--watch-namespace-selector=team=shop",
        "--enable-topology-aware-routing",
        "--enable-annotation-validation=false",
        "--report-node-internal-ip-address",
        "--status-update-interval=5",
        "--election-ttl=7s",
        "--disable-sync-events",
        "--update-status-on-shutdown=false",
        "--validating-webhook=127.0.0.1:8443",
        `--validating-webhook-certificate-secret=${ownPod.namespace}/${hook}`,
        `--validating-webhook-configuration=${hook}`,
      ],
    });
    await sluice.process.start();
  });
  afterAll(() => sluice?.end());

  /** No object of its kinds is ever created, so the API server never calls it. */
  const webhook = {
    name: "validate.nginx.ingress.kubernetes.io",
    rules: [{ apiGroups: ["none.example"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothings"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    clientConfig: { service: { namespace: ownPod.namespace, name: "webhook" } },
  };

  test("serves the class of that name of any controller, Ingresses without a class, and no others", async () => {
    await apply(cluster, [ingressClass("nginx-not", "example.com/other")]);
    // In this order the foreign Ingress exists before the others are served.
    await apply(cluster, [
      ingress("foreign", { ingressClass: "nginx-not" }),
      ingress("named", { ingressClass: "edge" }),
      ingress("classless", { ingressClass: "" }),
    ]);
    await answers("named", "echo-a");
    await answers("classless", "echo-a");
    expect(await answerOf("foreign")).toBe(404);
  });

  test("watches a namespace as soon as it has the labels", async () => {
    await apply(cluster, [
      ingress("away", { namespace: "elsewhere", ingressClass: "edge" }),
      ingress("after", { ingressClass: "edge" }),
    ]);
    await answers("after", "echo-a");
    expect(await answerOf("away")).toBe(404);
    await cluster.kubectl(["label", "namespace", "elsewhere", "team=shop"]);
    await answers("away", "echo-a");
    await cluster.kubectl(["label", "namespace", "elsewhere", "team-"]);
    await answers("away", 404);
  });

  test("uses only the endpoints that are hinted for its zone", async () => {
    const endpoint = (address: string, zone: string) => ({
      addresses: [address],
      conditions: { ready: true },
      hints: { forZones: [{ name: zone }] },
    });
    const [, service, slice] = shopObjects as readonly { readonly metadata: object }[];
    const labels = { "kubernetes.io/service-name": "zoned" };
    await apply(cluster, [
      { ...service, metadata: { namespace: "shop", name: "zoned" } },
      {
        ...slice,
        metadata: { namespace: "shop", name: "zoned-1", labels },
        endpoints: [endpoint("192.0.2.11", "west"), endpoint("192.0.2.12", "east")],
      },
      ingress("zoned", { service: "zoned", ingressClass: "edge" }),
    ]);
    await answers("zoned", "echo-b");
    const asked = await Promise.all(Array.from({ length: 10 }, () => answerOf("zoned")));
    expect(new Set(asked)).toEqual(new Set(["echo-b"]));
  });

  test("accepts an app-root that validation would refuse", async () => {
    const annotations = { "nginx.ingress.kubernetes.io/app-root": "/start?from=root" };
    await apply(cluster, [ingress("app", { ingressClass: "edge", annotations })]);
    await answers("app", 302);
    const { headers } = await request({ to: "127.0.0.1:80", host: "app.example" });
    expect(headers.location).toBe("http://app.example/start?from=root");
  });

  test("publishes the internal address of its Node, and reads it again after the interval", async () => {
    await until("named has the address", async () => (await addressesOf("named")) === "192.0.2.1");
    // A second after a write the statuses are checked again; after that only the interval causes a
    // check.
    await delay(2_500);
    const addresses = [{ type: "InternalIP", address: "192.0.2.3" }];
    await patchStatus(cluster, ["node", "node-1"], { addresses });
    await until("named has the other one", async () => (await addressesOf("named")) === "192.0.2.3");
  });

  test("holds a Lease of the given duration", async () => {
    expect(await leaseOf()).toBe("ingress-controller-leader 7");
  });

  test("makes the webhook's certificate, and writes its CA to the API server", async () => {
    const kept = () =>
      cluster.kubectl(["get", "secret", hook, "--namespace", ownPod.namespace, "-o", "jsonpath={.data.ca}"]);
    const logged = () =>
      cluster.kubectl([
        ...["get", "validatingwebhookconfiguration", hook, "-o"],
        "jsonpath={.webhooks[*].clientConfig.caBundle}",
      ]);
    await until("the API server has the CA", async () => (await logged()) !== "");
    expect(await logged()).toBe(await kept());
  });

  test("writes the Event RELOAD and no others", async () => {
    const print = 'jsonpath={.items[?(@.source.component=="nginx-ingress-controller")].reason}';
    const reasons = () => cluster.kubectl(["get", "events", "--all-namespaces", "-o", print]);
    await until("a reload has an Event", async () => (await reasons()).includes("RELOAD"));
    expect(new Set((await reasons()).split(" "))).toEqual(new Set(["RELOAD"]));
  });

  test("leaves the status unchanged when it ends", async () => {
    expect(await sluice.process.stop()).toBe(0);
    expect(await addressesOf("named")).toBe("192.0.2.3");
  });
});

describe("a controller of one namespace, without an election, with the webhook's certificate in files", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-e2e-flags-"));
  const [certificate, key] = [join(folder, "cert"), join(folder, "key")];
  let sluice: Sluice;

  beforeAll(async () => {
    await cluster.kubectl(["delete", "leases", "--all", "--namespace", ownPod.namespace]);
    writePair(shop.pki.tls);
    sluice = new Sluice({
      cluster,
      flags: [
        "--watch-namespace=shop",
        "--disable-leader-election",
        "--publish-status-address=192.0.2.1",
        "--validating-webhook=127.0.0.1:8443",
        `--validating-webhook-certificate=${certificate}`,
        `--validating-webhook-key=${key}`,
      ],
    });
    await sluice.process.start();
  });
  afterAll(async () => {
    await sluice?.end();
    rmSync(folder, { recursive: true });
  });

  function writePair(pair: { readonly certificate: string; readonly key: string }): void {
    writeFileSync(certificate, pair.certificate);
    writeFileSync(key, pair.key);
  }

  const review = (object: object) => {
    const meta = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
    const kind = { group: "networking.k8s.io", version: "v1", kind: "Ingress" };
    const asked = { uid: "u1", kind, operation: "CREATE", namespace: "shop", object };
    return request({
      to: "127.0.0.1:8443",
      sni: "webhook.example",
      path: "/networking/v1/ingresses",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...meta, request: asked }),
    });
  };

  test("reads nothing outside its namespace", async () => {
    await apply(cluster, [ingress("beside", { namespace: "elsewhere" }), ingress("within")]);
    await answers("within", "echo-a");
    expect(await answerOf("beside")).toBe(404);
  });

  test("answers reviews with the certificate in the files, and with the one that replaces it", async () => {
    const good = await review(ingress("good"));
    expect([good.certificate, JSON.parse(good.body).response.allowed]).toEqual(["tls.example", true]);
    const denying = { annotations: { "nginx.ingress.kubernetes.io/whitelist-source-range": "everywhere" } };
    const bad = await review(ingress("bad", denying));
    expect(JSON.parse(bad.body).response).toMatchObject({
      allowed: false,
      status: { code: 400, reason: "BadRequest" },
    });
    writePair(shop.pki.backend);
    const served = async () => (await review(ingress("good"))).certificate;
    await until("the other certificate is served", async () => (await served()) === "backend.example");
  });

  test("takes no Lease, and writes no status", async () => {
    expect(await leaseOf()).toBe("");
    expect(await addressesOf("within")).toBe("");
  });
});

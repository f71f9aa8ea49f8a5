import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Manifest } from "../chart/support/helm.ts";
import { heldBackend } from "../nginx/support/held-backend.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { answerOf, ingress, openShop, type Shop, serviceAt, shopObjects } from "./support/shop.ts";
import { apply, ingressClass, installPod, ownPod, Sluice } from "./support/sluice.ts";
import { Traffic } from "./support/traffic.ts";

/**
 * The time without the API server. 30 s would be realistic, and a third of that shows the same.
 */
const awayMs = 1000 * Number(process.env.API_AWAY_SECONDS ?? 10);

let cluster: Cluster;
let shop: Shop;
let sluice: Sluice;

beforeAll(async () => {
  [cluster, shop] = await Promise.all([startCluster(), openShop()]);
  await installPod(cluster);
  await apply(cluster, shopObjects);
  sluice = new Sluice({
    cluster,
    flags: ["--publish-status-address=192.0.2.1", "--reload-burst=50", "--enable-metrics"],
  });
  await sluice.process.start();
});
afterAll(async () => {
  await sluice?.end();
  await shop?.stop();
  await cluster?.stop();
});

const names = Array.from({ length: 20 }, (_, i) => `web-${i}`);

/**
 * Waits until every name answers as expected. An API server that was away for long is tried again
 * after a minute at most.
 */
async function answers(some: readonly string[], expected: string | number): Promise<void> {
  for (const name of some)
    await until(`${name} answers ${expected}`, async () => (await answerOf(name)) === expected, 120_000);
}

describe("twenty Ingresses", () => {
  test("answer soon after kubectl apply", async () => {
    await apply(
      cluster,
      names.map((name) => ingress(name)),
    );
    await answers(names, "echo-a");
  });

  test("follow changes of their objects", async () => {
    await apply(cluster, [ingress("web-3", { service: "echo-b" })]);
    await answers(["web-3"], "echo-b");
    await answers(["web-2", "web-4"], "echo-a");
  });

  test("are no longer served when they are deleted, and are served again when they return", async () => {
    await cluster.kubectl(["delete", "ingress", "--namespace=shop", "web-5", "web-6"]);
    await answers(["web-5", "web-6"], 404);
    await answers(["web-7"], "echo-a");
    await apply(cluster, [ingress("web-5")]);
    await answers(["web-5"], "echo-a");
  });
});

describe("a controller of Ingresses", () => {
  const statusOf = async (name: string) => {
    const path = "jsonpath={.status.loadBalancer.ingress[*].ip}";
    return cluster.kubectl(["get", "ingress", name, "--namespace=shop", "-o", path]);
  };
  const eventsAbout = async (kind: string, name: string) => {
    const about = `involvedObject.kind=${kind},involvedObject.name=${name}`;
    const print = 'jsonpath={range .items[*]}{.type} {.reason} {.message}{"\\n"}{end}';
    return cluster.kubectl(["get", "events", "--all-namespaces", "--field-selector", about, "-o", print]);
  };

  test("writes the address into the status", async () => {
    await until("web-1 has its address", async () => (await statusOf("web-1")) === "192.0.2.1");
    await apply(cluster, [ingress("late")]);
    await until("a late one has it as well", async () => (await statusOf("late")) === "192.0.2.1");
  });

  test("keeps all else in an Ingress when it writes the status", async () => {
    const get = (name: string) => ["get", "ingress", name, "--namespace=shop", "-o", "json", "--show-managed-fields"];
    const rest = ({ metadata, spec }: Manifest) => {
      const { resourceVersion, managedFields, ...others } = metadata;
      return { metadata: others, spec };
    };
    for (const more of [{}, { finalizers: ["example.com/hold"] }]) {
      const name = "finalizers" in more ? "held" : "whole";
      const made = ingress(name, { annotations: { "example.com/note": "stays" } }) as Manifest;
      const object = { ...made, metadata: { ...made.metadata, labels: { team: "shop" }, ...more } };
      const create = ["create", "-f", "-", "-o", "json", "--show-managed-fields"];
      const before = JSON.parse(await cluster.kubectl(create, { input: JSON.stringify(object) }));
      await until("it has its address", async () => (await statusOf(name)) === "192.0.2.1");
      const after = JSON.parse(await cluster.kubectl(get(name)));
      expect(rest(after)).toEqual(rest(before));
      expect(after.metadata.managedFields).toEqual(expect.arrayContaining(before.metadata.managedFields));
      await cluster.kubectl(["patch", "ingress", name, "--namespace=shop", "-p", '{"metadata":{"finalizers":null}}']);
      await cluster.kubectl(["delete", "ingress", name, "--namespace=shop"]);
    }
  });

  test("writes Events about its work and about mistakes", async () => {
    await apply(cluster, [ingress("wrong", { service: "nothing" })]);
    await until("a Warning is there", async () =>
      /Warning ServiceMissing .*nothing/.test(await eventsAbout("Ingress", "wrong")),
    );
    await until("a Sync is there", async () => /^Normal Sync /m.test(await eventsAbout("Ingress", "web-1")));
    await until("a RELOAD is there", async () => /^Normal RELOAD /m.test(await eventsAbout("Pod", ownPod.name)));
    await cluster.kubectl(["delete", "ingress", "--namespace=shop", "wrong"]);
  });

  test("serves a certificate as soon as its Ingress, whichever was created first", async () => {
    const data = { "tls.crt": btoa(shop.pki.tls.certificate), "tls.key": btoa(shop.pki.tls.key) };
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "shop", name: "tls" },
      type: "kubernetes.io/tls",
      data,
    };
    await apply(cluster, [secret]);
    await apply(cluster, [ingress("app", { tls: "tls" })]);
    // When http redirects, the first handshake after that has to have the certificate.
    await answers(["app"], 308);
    const first = await request({ to: "127.0.0.1:443", host: "app.example", sni: "app.example" });
    expect(first).toMatchObject({ status: 200, certificate: "tls.example" });
  });

  test("has metrics about the leader and the requests to the API server", async () => {
    const { body } = await request({ to: "127.0.0.1:10254", path: "/metrics" });
    const own = `controller_namespace="${ownPod.namespace}",controller_class="k8s.io/ingress-nginx",controller_pod="${ownPod.name}"`;
    const election = `nginx_ingress_controller_leader_election_status{${own},name="ingress-controller-leader"} 1`;
    const lines = body.split("\n").filter((line) => /^sluice_|leader_election/.test(line));
    expect(lines).toContain(election);
    expect(lines).toContainEqual(expect.stringMatching(/^sluice_reflector_watches_total\{kind="ingresses"\} [1-9]/));
    expect(lines).toContainEqual(expect.stringMatching(/^sluice_api_requests_total\{verb="watch",code="200"\} [1-9]/));
    expect(lines).toContainEqual(expect.stringMatching(/^sluice_queue_adds_total\{queue="data"\} [1-9]/));
  });

  test("serves an Ingress when its class is created later", async () => {
    await apply(cluster, [ingress("early", { ingressClass: "late-class" })]);
    await answers(["web-1"], "echo-a");
    expect(await answerOf("early")).toBe(404);
    await apply(cluster, [ingressClass("late-class", "k8s.io/ingress-nginx")]);
    await answers(["early"], "echo-a");
  });
});

describe("traffic continues", () => {
  test(`while the API server is away for ${awayMs / 1000} s, and later changes arrive`, async () => {
    const traffic = new Traffic(["web-0", "web-1", "web-2"]);
    await cluster.apiServer.stop("SIGKILL");
    await delay(awayMs);
    await until("a hundred requests are sent", () => traffic.count > 100);
    await cluster.apiServer.start();
    await apply(cluster, [ingress("web-8", { service: "echo-b" }), ingress("after")]);
    await answers(["web-8"], "echo-b");
    await answers(["after"], "echo-a");
    expect(await traffic.end()).toEqual(["echo-a"]);
    await until("every watch is back", () => sluice.log.includes("the API server is reached again"), 120_000);
  });

  test("while a second controller with another class runs beside the first", async () => {
    const pod = { namespace: "ingress-other", name: "other-0" };
    await installPod(cluster, pod);
    await apply(cluster, [ingressClass("other", "example.com/other")]);
    const reloads = () => sluice.log.split("applied with a reload").length;
    const [traffic, before] = [new Traffic(["web-0", "web-1"]), reloads()];
    const flags = ["--controller-class=example.com/other", "--ingress-class=other", "--election-id=other-leader"];
    const ports = ["http:8081", "https:8444", "status:20246", "default-server:8182", "profiler:20245"];
    const other = new Sluice({
      cluster,
      pod,
      healthPort: 20_254,
      flags: [...flags, ...ports.map((port) => `--${port.replace(":", "-port=")}`)],
    });
    try {
      await other.process.start();
      await apply(cluster, [ingress("theirs", { ingressClass: "other" })]);
      const theirs = { to: "127.0.0.1:8081" };
      await until("the other serves it", async () => (await answerOf("theirs", theirs)) === "echo-a");
      expect(await answerOf("theirs")).toBe(404);
      expect(await answerOf("web-1", theirs)).toBe(404);
      await apply(cluster, [ingress("ours")]);
      await answers(["ours"], "echo-a");
      expect(await other.process.stop()).toBe(0);
    } finally {
      await other.end();
    }
    expect(await traffic.end()).toEqual(["echo-a"]);
    expect(reloads()).toBe(before);
  });

  test("after a controller died with its nginx and starts again without an API server", async () => {
    await sluice.process.stop("SIGKILL");
    expect(sluice.nginxPid, "the process of nginx that the file names").toBeTypeOf("number");
    await sluice.killNginx();
    await cluster.apiServer.stop("SIGKILL");
    await sluice.process.start();
    await answers(["web-1"], "echo-a");
    await answers(["web-8"], "echo-b");
    await cluster.apiServer.start();
    await apply(cluster, [ingress("web-8")]);
    await answers(["web-8"], "echo-a");
  });

  test("on SIGTERM until running requests are completed, the status is cleared and nginx has ended", async () => {
    const lastOf = (msg: string) => sluice.log.lastIndexOf(`"msg":"${msg}"`);
    await until("it leads again", () => lastOf("this replica leads") > lastOf("starting"));
    const held = await heldBackend("192.0.2.13", 8080);
    try {
      await apply(cluster, [...serviceAt("held", "192.0.2.13"), ingress("held", { service: "held" })]);
      // Until the Ingress is live the answer is 404 at once; after that the backend holds the
      // request.
      const slow = until("it is held", async () => {
        const { status } = await request({ to: "127.0.0.1:80", host: "held.example" });
        return status !== 404 && status !== 503 && status;
      });
      await until("it is in flight", () => held.held === 1);
      const stopped = sluice.process.stop();
      await until("nginx takes no more", async () => (await answerOf("web-1").catch(() => 0)) === 0);
      held.release("done");
      expect(await slow).toBe(200);
      expect(await stopped).toBe(0);
    } finally {
      await held.stop();
    }
    expect(sluice.nginxPid).toBeUndefined();
    const print = "jsonpath={.items[*].status.loadBalancer.ingress[*].ip}";
    expect(await cluster.kubectl(["get", "ingress", "--all-namespaces", "-o", print])).toBe("");
  });
});

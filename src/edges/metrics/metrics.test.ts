import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "vitest";
import {
  type Certificate,
  type Location,
  noIdentity,
  SecretText,
  type Server,
  type StreamServer,
  type Upstream,
} from "../../core/model/configuration.ts";
import type { ListenerPort } from "../../core/model/listeners.ts";
import type { Problem } from "../../core/model/problem.ts";
import { Table } from "../../core/model/table.ts";
import type { ApplyOutcome, Change } from "../../core/sync/ports.ts";
import { Failures } from "../failures.ts";
import type { Served } from "./certificate-metrics.ts";
import { Metrics, type MetricsOptions } from "./metrics.ts";

const certificate = (id: string, expires: string): Certificate => ({
  id,
  chain: "",
  key: new SecretText(""),
  notBefore: new Date(0),
  notAfter: new Date(expires),
  names: [],
  identity: { ...noIdentity, serialNumber: "77", issuerCommonName: "ca", keyAlgorithm: "ECDSA" },
  weakness: undefined,
  fingerprint: "",
});
const server = (name: string, more: Partial<Server<unknown>>): Server<unknown> =>
  ({ name, locations: [], tlsConfigured: false, certificate: undefined, ...more }) as Server<unknown>;
const at = (name: string, service: string): Location<unknown> => ({
  path: "/",
  owner: { kind: "Ingress", namespace: "shop", name },
  ownerUid: undefined,
  backends: [{ upstream: `shop/${service}/80`, key: `shop/${service}`, service, port: "80", weight: 1 }],
  features: undefined,
  standIn: undefined,
  canaries: [],
  timed: false,
  closed: undefined,
});
const unknownHosts: Location<unknown> = { ...at("", ""), owner: undefined };
const served = {
  listenerPorts: Table.empty<ListenerPort>(),
  servers: Table.from([
    ["_", server("_", { locations: [unknownHosts] })],
    ["own.example", server("own.example", { certificate: "shop/own", tlsConfigured: true })],
    ["lent.example", server("lent.example", { tlsConfigured: true })],
    [
      "plain.example",
      server("plain.example", { locations: [at("empty", "web"), at("lost", "gone"), at("well", "good")] }),
    ],
  ]),
  upstreams: Table.from<Upstream>(
    [0, 0, 1].map((endpoints, n) => {
      const id = `shop/${["web", "gone", "good"][n]}/80`;
      const there = Array.from({ length: endpoints }, () => ({ address: "192.0.2.1", port: 1 }));
      return [id, { id, label: "", endpoints: there, balance: { algorithm: "round_robin" } }] as const;
    }),
  ),
  certificates: Table.from([["shop/own", certificate("shop/own", "2027-01-01T00:00:00Z")]]),
  defaultCertificate: certificate("fake", "2030-01-01T00:00:00Z"),
  streams: [],
} satisfies Served;

function metricsWith(more: Partial<MetricsOptions> = {}) {
  const metrics = new Metrics({
    labels: { controller_namespace: "n", controller_class: "c", controller_pod: "p" },
    build: { release: "1", build: "b", repository: "r" },
    enabled: true,
    webhook: false,
    nowMs: () => 5_000,
    generation: () => "00000000000ffabc",
    own: async () => ({
      workers: 2,
      drainingWorkers: 0,
      drainingGenerations: 0,
      restarts: 0,
      putRight: 0,
      shapes: 3,
      quarantined: { Ingress: 2, ConfigMap: 0 },
      memory: undefined,
      checks: { ping: true, nginx: false },
    }),
    processes: async () => undefined,
    served: () => served,
    leads: () => true,
    requests: undefined,
    shadows: async () => [],
    counts: async () => "",
    failures: new Failures(() => 0),
    ...more,
  });
  /**
   * Returns the lines whose name begins with this text, without the labels that all of them have.
   */
  const lines = async (name: string) =>
    (await metrics.exposition()).text
      .split("\n")
      .filter((line) => line.startsWith(name))
      .map((line) => line.replace('controller_namespace="n",controller_class="c",controller_pod="p"', "…"));
  return { metrics, lines };
}
const their = (name: string) => `nginx_ingress_controller_${name}`;

test("each host with TLS has the expiry and the identity of its certificate", async () => {
  const { lines } = metricsWith();
  const expiry = await lines(their("ssl_expire_time_seconds"));
  expect(expiry.toSorted()).toEqual([
    `${their("ssl_expire_time_seconds")}{namespace="",class="c",host="_",secret_name="",identifier="-77"} 1893456000`,
    `${their("ssl_expire_time_seconds")}{namespace="",class="c",host="lent.example",secret_name="",identifier="-77"} 1893456000`,
    `${their("ssl_expire_time_seconds")}{namespace="shop",class="c",host="own.example",secret_name="own",identifier="-77"} 1798761600`,
  ]);
  expect((await lines(their("ssl_certificate_info"))).find((line) => line.includes("own.example"))).toMatch(
    /,identifier="-77",issuer_organization="",issuer_common_name="ca",serial_number="77",public_key_algorithm="ECDSA"} 1$/,
  );
  expect(await lines("sluice_certificate_first_expiry_time_seconds")).toEqual([
    "sluice_certificate_first_expiry_time_seconds 1798761600",
  ]);
});

test("a name whose TLS ends in a stream has a certificate, and one whose TLS passes through has none", async () => {
  const stream: StreamServer = {
    ...{ kind: "gateway", protocol: "tls", id: "shop/public:8443", address: undefined, listenPort: 8443, owners: [] },
    hosts: [
      { hostname: "redis.example", certificates: ["shop/own"], backends: [] },
      { hostname: "vault.example", certificates: undefined, backends: [] },
    ],
  };
  const { lines } = metricsWith({ served: () => ({ ...served, streams: [stream] }) });
  const expiry = await lines(their("ssl_expire_time_seconds"));
  expect(expiry.filter((line) => /redis|vault/.test(line))).toEqual([
    `${their("ssl_expire_time_seconds")}{namespace="shop",class="c",host="redis.example",secret_name="own",identifier="-77"} 1798761600`,
  ]);
});

test("a replica that does not lead has the identity of certificates, and not their expiry", async () => {
  let leads = true;
  const { lines } = metricsWith({ leads: () => leads });
  expect(await lines(their("ssl_expire"))).toHaveLength(3);
  leads = false;
  expect(await lines(their("ssl_expire"))).toEqual([]);
  expect(await lines(their("ssl_certificate_info"))).toHaveLength(3);
});

const missing: Problem = {
  object: { kind: "Ingress", namespace: "shop", name: "lost" },
  kind: "service-missing",
  field: "spec",
  service: "shop/gone",
};
test("an Ingress whose Service is missing or has no endpoints is an orphan until that changes", async () => {
  const { metrics, lines } = metricsWith();
  const orphans = async () =>
    (await lines(`${their("orphan_ingress")}{`)).map((line) =>
      /ingress="(\w+)",type="([\w-]+)"} 1/.exec(line)?.slice(1),
    );
  metrics.problems("sync", Table.from([["Ingress shop/lost", [missing]]]));
  expect(await orphans()).toEqual([
    ["lost", "no-service"],
    ["empty", "no-endpoint"],
  ]);
  metrics.problems("sync", Table.empty());
  expect((await orphans()).flat()).not.toContain("no-service");
});

test("Problems are counted by source and kind while they last", async () => {
  const { metrics, lines } = metricsWith();
  const unused: Problem = { object: missing.object, kind: "annotation-useless", key: "x", why: "" };
  metrics.problems(
    "sync",
    Table.from([
      ["a", [missing, unused]],
      ["b", [missing]],
    ] as const),
  );
  metrics.problems("flags", Table.from([["flags", [unused]]]));
  metrics.problems("sync", Table.from([["b", [missing]]]));
  expect(await lines("sluice_problems")).toEqual([
    'sluice_problems{source="sync",kind="service-missing"} 1',
    'sluice_problems{source="sync",kind="annotation-useless"} 0',
    'sluice_problems{source="flags",kind="annotation-useless"} 1',
  ]);
});

test("the last reload has its success, hash and time, and counts as good again when nginx has the wanted text", async () => {
  let nowMs = 1_000;
  const { metrics, lines } = metricsWith({ nowMs: () => nowMs });
  const synced = (change: Change, reload?: ApplyOutcome) =>
    metrics.synced({
      change,
      ...(reload && { reload }),
      records: {},
      translateMs: 0,
      renderMs: 0,
      publishMs: 0,
      tookMs: 20,
    });
  const values = async () => {
    const found = await Promise.all(
      ["config_last_reload_successful{", "config_last_reload_successful_timestamp_seconds{", "config_hash{"].map(
        (name) => lines(their(name)),
      ),
    );
    return found.map(([line]) => Number(line?.split(" ").at(-1)));
  };
  const why = { kind: "reload", why: ["a new location setting (3 now)", "settings"] } as const;
  synced(why, { kind: "reloaded", tookMs: 1, warnings: [] });
  // 52 bits of the generation.
  expect(await values()).toEqual([1, 1, 0x0000000000ff]);
  nowMs = 2_000;
  synced(why, { kind: "refused", stderr: "" });
  expect(await values()).toEqual([0, 1, 0]);
  nowMs = 3_000;
  synced({ kind: "none" });
  expect(await values()).toEqual([1, 3, 255]);
  nowMs = 4_000;
  synced({ kind: "data" });
  expect(await values()).toEqual([1, 3, 255]);
  expect(await lines("sluice_reloads_total")).toEqual([
    'sluice_reloads_total{why="a new location setting",outcome="reloaded"} 1',
    'sluice_reloads_total{why="settings",outcome="reloaded"} 1',
    'sluice_reloads_total{why="a new location setting",outcome="refused"} 1',
    'sluice_reloads_total{why="settings",outcome="refused"} 1',
  ]);
  // The reload and the data count. The refusal and the turn without a change made nothing live.
  expect(await lines("sluice_change_live_seconds_count")).toEqual(["sluice_change_live_seconds_count 2"]);
});

test("a figure that cannot be measured has no value, and each health check has a value", async () => {
  const { lines } = metricsWith();
  expect(await lines("sluice_shared_memory_free_bytes")).toEqual([]);
  expect(await lines("sluice_quarantined_objects")).toEqual([
    'sluice_quarantined_objects{kind="Ingress"} 2',
    'sluice_quarantined_objects{kind="ConfigMap"} 0',
  ]);
  expect(await lines("sluice_nginx_workers")).toEqual(["sluice_nginx_workers 2"]);
  expect(await lines("sluice_health_check")).toEqual([
    'sluice_health_check{check="ping"} 1',
    'sluice_health_check{check="nginx"} 0',
  ]);
});

/** A new network namespace has no traffic yet. */
async function somethingReceived(): Promise<void> {
  const server = createServer((socket) => socket.end("hello")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").resume();
  await once(socket, "close");
  server.close();
}

test("without --enable-metrics only metrics of Sluice and of the process are there, and scrapes are counted", async () => {
  const { lines } = metricsWith({ enabled: false });
  expect(await lines("nginx_ingress_controller_")).toEqual([]);
  expect(await lines("promhttp_metric_handler_requests")).toEqual([
    'promhttp_metric_handler_requests_total{code="200"} 1',
    'promhttp_metric_handler_requests_total{code="500"} 0',
    'promhttp_metric_handler_requests_total{code="503"} 0',
    "promhttp_metric_handler_requests_in_flight 1",
  ]);
  await somethingReceived();
  const [received] = await lines("process_network_receive_bytes_total");
  expect(Number(received?.split(" ")[1])).toBeGreaterThan(0);
});

test("each metric of a scrape is declared with its type", async () => {
  const buckets = { time: [1], part: [1], length: [1], size: [1] };
  const { metrics } = metricsWith({
    webhook: true,
    requests: { perHost: true, full: true, buckets, exclude: [], serves: () => true, servesRoute: () => true },
  });
  const { text } = await metrics.exposition();
  const scraped = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${type} ${name}`);
  const declared = metrics.declared().map(({ name, type }) => `${type} ${name}`);
  expect(scraped.length).toBeGreaterThan(60);
  expect(scraped.filter((one) => !declared.includes(one))).toEqual([]);
});

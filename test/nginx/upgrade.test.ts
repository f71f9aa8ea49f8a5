/**
 * Replaces all replicas behind balancers that learn late which replicas are ready, while clients of
 * many sorts send requests. `npm run soak upgrade` goes on for minutes.
 */
import { once } from "node:events";
import type { Server } from "node:http";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Balancer, openBalancer, type Replica } from "./support/balancer.ts";
import { type Everyday, everydayBackend, everydayClients } from "./support/everyday-clients.ts";
import { keepalive, keepaliveTls, type RequestOptions, request } from "./support/request.ts";
import { gatewayClass, type Served, serving, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const host = "web.example";
const backendPort = 21_970;
const lagsMs = [0, 200, 1_000, 5_000];
/** Three times as long as the longest lag, because the machine may be busy. */
const graceSeconds = 15;
/** On a busy machine each start takes a minute. */
const patienceMs = 15 * 60_000;
const minutes = Number(process.env.UPGRADE_MINUTES ?? 0);

let backend: Server;
beforeAll(async () => {
  backend = await everydayBackend("127.0.0.1", backendPort);
});
afterAll(() => {
  backend.close();
  backend.closeAllConnections();
});

interface Running extends Replica {
  readonly health: number;
  readonly served: Served;
}

async function startReplica(
  number: number,
  {
    grace = graceSeconds,
    files = {},
  }: { readonly grace?: number; readonly files?: Readonly<Record<string, string>> } = {},
): Promise<Running> {
  const first = 22_000 + 10 * (number % 100);
  const ports = { http: first, https: first + 1, health: first + 2 };
  const served = await serving({
    limitMs: patienceMs,
    files: { "web.yaml": toWeb({ host }), "backends.yaml": webAt(backendPort), ...files },
    flags: [
      `--http-port=${ports.http}`,
      `--https-port=${ports.https}`,
      `--healthz-port=${ports.health}`,
      `--status-port=${first + 3}`,
      `--default-server-port=${first + 4}`,
      `--stream-port=${first + 5}`,
      `--name-check-port=${first + 6}`,
      `--shutdown-grace-period=${grace}`,
    ],
  });
  return { ...ports, served };
}

const isReady = async ({ health }: Running) =>
  (await request({ to: `127.0.0.1:${health}`, path: "/healthz" }).catch(() => undefined))?.status === 200;

/** Ends a replica, and removes it from each balancer when that has learned of it. */
async function retire(replica: Running, balancers: readonly Balancer[]): Promise<number | string> {
  replica.served.signal("SIGTERM");
  await until("it not to be ready", async () => !(await isReady(replica)));
  balancers.forEach((balancer, at) => {
    setTimeout(() => {
      balancer.replicas = balancer.replicas.filter((one) => one !== replica);
    }, lagsMs[at]);
  });
  const code = await replica.served.ended;
  await replica.served.remove();
  return code;
}

test(
  "no request fails while all replicas are replaced, whenever the balancer learns of it",
  async () => {
    const balancers = await Promise.all(lagsMs.map(() => openBalancer()));
    let number = 0;
    let present: readonly Running[] = await Promise.all([startReplica(number++), startReplica(number++)]);
    for (const balancer of balancers) balancer.replicas = present;
    const clients = balancers.map((balancer) => everydayClients(host, balancer));
    const ends: Promise<number | string>[] = [];
    const deadline = performance.now() + minutes * 60_000;
    for (let round = 0; round < 2 || performance.now() < deadline; round++) {
      for (const old of present) {
        const next = await startReplica(number++);
        present = [...present.filter((one) => one !== old), next];
        for (const balancer of balancers) balancer.replicas = [...balancer.replicas, next];
        ends.push(retire(old, balancers));
      }
    }
    const codes = await Promise.all(ends);
    await Promise.all(clients.map((one) => one.end()));
    await Promise.all(present.map(({ served }) => served.remove()));
    for (const balancer of balancers) balancer.close();
    const found = clients.map((one, at) => outcome(one, lagsMs[at]!, balancers[at]!));
    console.table(found.map(({ failures, ...rest }) => ({ ...rest, failures: failures.length })));
    expect(codes.filter((code) => code !== 0)).toEqual([]);
    expect(found.map(({ failures }) => failures)).toEqual(lagsMs.map(() => []));
    expect(found.map(({ refused, races }) => [refused, races])).toEqual(lagsMs.map(() => [0, 0]));
    for (const { answers } of clients) expect([...answers].filter(([, count]) => count < 3)).toEqual([]);
  },
  minutes * 60_000 + patienceMs,
);

function outcome({ answers, failures, races, refusedStreams }: Everyday, lagMs: number, { refused }: Balancer) {
  const requests = [...answers.values()].reduce((sum, count) => sum + count, 0);
  return {
    lagMs,
    requests,
    refused,
    races,
    refusedStreams,
    failures: [...failures].map(([what, count]) => `${count} × ${what}`),
  };
}

/** A Gateway on a port of its own, and an Ingress whose shape has text of its own. */
const others = {
  "annotated.yaml": toWeb({
    host: "annotated.example",
    name: "annotated",
    annotations: 'nginx.ingress.kubernetes.io/proxy-read-timeout: "7"',
  }),
  "gateway.yaml": `${gatewayClass}---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec: { gatewayClassName: sluice, listeners: [{ name: http, port: 22999, protocol: HTTP }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: shop }
spec:
  parentRefs: [{ name: edge }]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
`,
};

test("from SIGTERM on each answer closes its connection, new ones are served, and the health path answers 503", async () => {
  const replica = await startReplica(50, { grace: 600, files: others });
  onTestFinished(async () => {
    replica.served.signal("SIGKILL");
    await replica.served.remove();
  });
  const [http, https, gateway] = [replica.http, replica.https, 22_999].map((port) => `127.0.0.1:${port}`) as [
    string,
    string,
    string,
  ];
  const cases: readonly RequestOptions[] = [
    { to: http, host },
    { to: http, host, method: "POST", body: "posted" },
    { to: http, host: "annotated.example" },
    { to: http, host: "nobody.example" },
    { to: https, host, sni: host },
    { to: gateway, host },
  ];
  const agents = cases.map(({ sni }) => (sni === undefined ? keepalive() : keepaliveTls()));
  onTestFinished(() => {
    for (const agent of agents) agent.destroy();
  });
  const answers = () =>
    Promise.all(
      cases.map(async (one, at) => {
        const { status, body, headers } = await request({ ...one, agent: agents[at]! });
        return [status, body.startsWith("<html>") ? "" : body, headers.connection];
      }),
    );
  const answered = (connection: string) => [
    [200, "", connection],
    [200, "posted", connection],
    [200, "", connection],
    [404, "", connection],
    [200, "", connection],
    [200, "", connection],
  ];
  const health = async () => (await request({ to: http, path: "/healthz" })).status;
  expect(await answers()).toEqual(answered("keep-alive"));
  expect(await health()).toBe(200);
  const session = connectHttp2(`https://${https}`, { servername: host, rejectUnauthorized: false });
  onTestFinished(() => session.destroy());
  const overHttp2 = async () => {
    const stream = session.request({ ":path": "/", ":authority": host });
    const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
    stream.resume();
    await once(stream, "close");
    return [headers[":status"], headers.connection];
  };
  expect(await overHttp2()).toEqual([200, undefined]);

  replica.served.signal("SIGTERM");
  await until("nginx to close connections", async () => (await health()) === 503);
  expect(await isReady(replica)).toBe(false);
  // The first of these come over the connections that are kept, and the second over new ones.
  expect(await answers()).toEqual(answered("close"));
  expect(await answers()).toEqual(answered("close"));
  expect(await overHttp2()).toEqual([200, undefined]);
  expect(await overHttp2()).toEqual([200, undefined]);
});

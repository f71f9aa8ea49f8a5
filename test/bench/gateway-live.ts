/**
 * Measures how soon HTTPRoutes are live beside a real API server: a new one among 10,000, and
 * changes of 5,000 one after another. Time counts from the moment at which a watch of this bench
 * brings the change, which is when the controller's own watch brings it. The results also have the
 * time from the API server's answer to the client that wrote the change.
 */
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { buildMissingSuite, gatewaySuite } from "../../scripts/gateway-suite.ts";
import type { HTTPRoute } from "../../src/core/model/gateway/objects.ts";
import { httpRoutes } from "../../src/edges/resources.ts";
import { Client, kubeConfigCredentials, SharedInformer } from "../../src/kube/index.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import { apply, installPod, Sluice } from "../e2e/support/sluice.ts";
import { keepalive, request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { type Figure, medianOf } from "./measured.ts";
import { inParallel } from "./support/cluster.ts";
import { compiled } from "./support/compiled.ts";
import { cpuMs } from "./support/cpu.ts";
import { hostOf, service, slice } from "./support/hosts.ts";
import { sizesOr } from "./support/sizes.ts";

const address = "192.0.2.31";
const endpoint = { address: "192.0.2.11", port: 8_080 };
const apiVersion = "gateway.networking.k8s.io/v1";
const births = 50;
const changesPerSecond = 50;
/**
 * The bench requests one of so many changes, because requests for all of them would be most of the
 * load.
 */
const askedOneIn = 5;
/** Milliseconds between two requests for one change. */
const pollMs = 2;
/** Routes share this many Services. */
const services = 100;
const never = new AbortController().signal;

export async function gatewayLive(): Promise<Figure[]> {
  await buildMissingSuite();
  const backend = createServer((_request, response) => response.end("ok")).listen(endpoint.port, "0.0.0.0");
  const program = await compiled();
  const cluster = await startCluster();
  const sluice = new Sluice({ cluster, program, flags: [`--gateway-addresses=${address}`] });
  const routes = new Routes(new Client(await kubeConfigCredentials([cluster.kubeconfig()])));
  const figures: Figure[] = [];
  try {
    await install(cluster);
    routes.watch();
    let count = 0;
    for (const size of sizesOr([10_000])) {
      const missing = Array.from({ length: size - count }, (_, at) => count + at);
      await inParallel(missing, 20, async (at) => void (await routes.create(at)));
      count = size;
    }
    await sluice.process.start();
    await until("every route to be accepted", () => routes.accepted() === count, 600_000);
    await until("the last route to answer", () => isServed(count - 1), 60_000);
    figures.push(...(await born(routes, sluice, count)), ...(await churned(routes, sluice, count / 2)));
  } finally {
    await sluice.end();
    routes.close();
    await cluster.stop();
    agent.destroy();
    backend.close();
    backend.closeAllConnections();
  }
  return figures;
}

async function install(cluster: Cluster): Promise<void> {
  await cluster.kubectl(["apply", "--server-side", "--filename", gatewaySuite.definitions("standard")]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  await installPod(cluster);
  await cluster.kubectl(["create", "namespace", "shop"]);
  const backends = Array.from({ length: services }, (_, at) => [
    service(at),
    slice(at, [endpoint.address], endpoint.port),
  ]);
  const written = backends.flat().map(({ metadata: { uid, resourceVersion, creationTimestamp, ...kept }, ...rest }) => {
    return { ...rest, metadata: kept };
  });
  await apply(cluster, [
    ...written,
    {
      apiVersion,
      kind: "GatewayClass",
      metadata: { name: "sluice" },
      spec: { controllerName: "sluice.dev/gateway-controller" },
    },
    {
      apiVersion,
      kind: "Gateway",
      metadata: { name: "public", namespace: "shop" },
      spec: { gatewayClassName: "sluice", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
    },
  ]);
}

/** Writes routes, and remembers when the watch brought each version of them. */
class Routes {
  readonly #client: Client;
  readonly #informer: SharedInformer<HTTPRoute>;
  readonly #stop = new AbortController();
  readonly #arrivals = new Map<string, PromiseWithResolvers<number>>();
  readonly #accepted = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
    this.#informer = new SharedInformer(client, httpRoutes);
  }

  watch(): void {
    this.#informer.subscribe((change) => {
      const { metadata, status } = change.object;
      this.#arrivalOf(`${metadata.name} ${metadata.generation}`).resolve(performance.now());
      if ((status?.parents ?? []).length > 0) this.#accepted.add(metadata.name);
    });
    void this.#informer.run(this.#stop.signal);
  }

  accepted(): number {
    return this.#accepted.size;
  }

  /** Returns the version that was written. */
  async create(at: number): Promise<string> {
    const metadata = { name: nameOf(at), namespace: "shop" };
    const spec = { parentRefs: [{ name: "public" }], hostnames: [hostOf(at)], rules: rules(at, "first") };
    const object = { apiVersion, kind: "HTTPRoute", metadata, spec } as HTTPRoute;
    return versionOf(await this.#client.create(httpRoutes, object, never));
  }

  async change(at: number, mark: string): Promise<string> {
    const patch = { type: "merge", body: { spec: { rules: rules(at, mark) } } } as const;
    return versionOf(await this.#client.patch(httpRoutes, { name: nameOf(at), namespace: "shop" }, patch, never));
  }

  /** Resolves to the time at which the watch first brought this version. */
  arrival(version: string): Promise<number> {
    return this.#arrivalOf(version).promise;
  }

  #arrivalOf(version: string): PromiseWithResolvers<number> {
    const known = this.#arrivals.get(version) ?? Promise.withResolvers<number>();
    this.#arrivals.set(version, known);
    return known;
  }

  close(): void {
    this.#stop.abort();
    this.#client.close();
  }
}

const nameOf = (at: number): string => `route-${at}`;

function rules(at: number, mark: string) {
  const set = [{ name: "X-Mark", value: mark }];
  const filters = [{ type: "ResponseHeaderModifier", responseHeaderModifier: { set } }];
  return [{ filters, backendRefs: [{ name: `app-${at % services}`, port: 80 }] }];
}

function versionOf(answer: Awaited<ReturnType<Client["get"]>>): string {
  if (!answer.ok) throw new Error(answer.failure.message);
  const { name, generation } = answer.value.metadata;
  return `${name} ${generation}`;
}

/** Milliseconds of one change. */
interface Taken {
  readonly fromEvent: number;
  readonly fromAnswer: number;
}

/**
 * One change until an answer shows its mark. Requests begin with its event, so that they are few
 * while the API server itself is late.
 */
async function taken(routes: Routes, at: number, mark: string, write: () => Promise<string>): Promise<Taken> {
  const version = await write();
  const answered = performance.now();
  const arrived = await routes.arrival(version);
  while ((await answerOf(at)).mark !== mark) await delay(pollMs);
  const live = performance.now();
  return { fromEvent: live - arrived, fromAnswer: live - answered };
}

async function born(routes: Routes, sluice: Sluice, count: number): Promise<Figure[]> {
  const before = sluice.log.length;
  const found: Taken[] = [];
  for (let at = count; at < count + births; at++) {
    found.push(await taken(routes, at, "first", () => routes.create(at)));
    await delay(200);
  }
  const what = `a new HTTPRoute among ${count.toLocaleString("en")}`;
  return [
    { what: `${what}, from its event to its answer`, unit: "ms", values: found.map((one) => one.fromEvent), bound: 50 },
    { what: `${what}, from the API server's answer`, unit: "ms", values: found.map((one) => one.fromAnswer) },
    { what: `${what}, reloads`, unit: "", values: [reloads(sluice, before)], bound: 0 },
  ];
}

/** Changes each of the routes once, in turn, whether or not those before are live. */
async function churned(routes: Routes, sluice: Sluice, count: number): Promise<Figure[]> {
  const before = sluice.log.length;
  const cpuBefore = cpuMs(sluice.process.pid!);
  const asked: Promise<Taken>[] = [];
  const written: Promise<string>[] = [];
  const begun = performance.now();
  for (let at = 0; at < count; at++) {
    const write = () => routes.change(at, `mark-${at}`);
    if (at % askedOneIn === 0) asked.push(taken(routes, at, `mark-${at}`, write));
    else written.push(write());
    const due = begun + (at + 1) * (1000 / changesPerSecond);
    if (due > performance.now()) await delay(due - performance.now());
  }
  await Promise.all(written);
  const found = await Promise.all(asked);
  const seconds = (performance.now() - begun) / 1000;
  const cpuEach = (cpuMs(sluice.process.pid!) - cpuBefore) / count;
  const what = `${count.toLocaleString("en")} HTTPRoutes that change`;
  const fromEvent = found.map((one) => one.fromEvent);
  const fromAnswer = found.map((one) => one.fromAnswer);
  return [
    { what: `${what}, changes a second`, unit: "", values: [count / seconds] },
    { what: `${what}, from the event to the answer`, unit: "ms", values: [medianOf(fromEvent)] },
    { what: `${what}, from the event to the answer, 99 %`, unit: "ms", values: [mostOf(fromEvent)], bound: 100 },
    { what: `${what}, from the API server's answer, 99 %`, unit: "ms", values: [mostOf(fromAnswer)] },
    { what: `${what}, within the controller, 99 %`, unit: "ms", values: [mostOf(turnsOf(sluice, before))] },
    { what: `${what}, the controller's CPU for each`, unit: "ms", values: [cpuEach], bound: 20 },
    { what: `${what}, reloads`, unit: "", values: [reloads(sluice, before)], bound: 0 },
  ];
}

/** The time that 99 in 100 stay below. */
const mostOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;

const agent = keepalive();

/** Returns false also while nginx does not listen yet. */
const isServed = (at: number): Promise<boolean> =>
  answerOf(at).then(
    ({ status }) => status === 200,
    () => false,
  );

async function answerOf(at: number): Promise<{ readonly status: number; readonly mark: unknown }> {
  const { status, headers } = await request({ to: `${address}:80`, host: hostOf(at), agent });
  return { status, mark: headers["x-mark"] };
}

/**
 * Reads from the controller's log what each turn did, from its first event until nginx has it all.
 */
function turnsOf(sluice: Sluice, from: number): readonly number[] {
  const lines = sluice.log.slice(from).split("\n");
  return lines.flatMap((line) => {
    const took = line.includes('"applied without a reload"') ? /"took":"([\d.]+)ms"/.exec(line)?.[1] : undefined;
    return took === undefined ? [] : [Number(took)];
  });
}

function reloads(sluice: Sluice, from: number): number {
  const lines = sluice.log.slice(from).split("\n");
  return lines.filter((line) => line.includes('"applied with a reload"')).length;
}

/**
 * The worst requests that a tenant and a client can make together: the processor time of nginx for
 * one of them, in both modes. An attack is a row of `attacks`; another kind of attack is another
 * row.
 */
import { join } from "node:path";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { request } from "../nginx/support/request.ts";
import { ports, type Served, serving } from "../nginx/support/serve.ts";
import { until } from "../nginx/support/until.ts";
import type { Figure } from "./measured.ts";
import { cpuMicroseconds } from "./support/cpu.ts";
import { fileOf, ingressClass, service, slice } from "./support/hosts.ts";

const tries = 5;
/** The most milliseconds of a worker for one request. */
const bound = 50;
const a = (length: number): string => "a".repeat(length);

interface Attack {
  readonly what: string;
  readonly modes?: readonly ("dynamic" | "static")[];
  readonly objects: readonly object[];
  readonly host: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const prefix = "nginx.ingress.kubernetes.io/";

interface Sketch {
  readonly name: string;
  readonly host: string;
  readonly paths?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

function ingress({ name, host, paths = ["/"], annotations = {} }: Sketch) {
  const backend = { service: { name: "web-0", port: { number: 80 } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      ...{ name, namespace: "shop" },
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [prefix + key, value])),
    },
    spec: {
      ingressClassName: "nginx",
      rules: [{ host, http: { paths: paths.map((path) => ({ path, pathType: "ImplementationSpecific", backend })) } }],
    },
  };
}

const regex = { "use-regex": "true" };
const onPath = (what: string, ...paths: readonly string[]): Attack => ({
  what: `a path of 7,900 letters: ${what}`,
  objects: [ingress({ name: "slow", host: "slow.example", paths, annotations: regex })],
  host: "slow.example",
  path: `/${a(7_900)}`,
});
const many = (pattern: string): readonly string[] => Array.from({ length: 32 }, (_, at) => `${pattern}${at}`);

function onCanary(pattern: string, length: number): Attack {
  const rules = { canary: "true", "canary-by-header": "x-next", "canary-by-header-pattern": pattern };
  const of = (name: string, annotations: Sketch["annotations"] & object) =>
    ingress({ name, host: "slow.example", annotations });
  return {
    what: `a canary's header of ${length.toLocaleString("en")} letters: ${pattern}`,
    objects: [of("main", {}), of("canary", rules)],
    host: "slow.example",
    headers: { "x-next": a(length) },
  };
}

const attacks: readonly Attack[] = [
  onPath("alternatives behind a |", "/x|(a|a){17}[b-c]"),
  onPath("nested repetitions", "/(a+)+[b-c]"),
  onPath("32 patterns whose steps read the whole path", ...many(`/${"(?:a*+[bc]|)".repeat(40)}z`)),
  onPath("32 patterns with repetitions of a fixed number", ...many(`/(?:x|y)?${"(?!a{90}b)".repeat(15)}(a|a){17}b`)),
  { ...onPath("characters of several bytes", `/${"(?:\\X*+[bc]|)".repeat(40)}z`), modes: ["dynamic"] },
  { ...onPath("comparisons of a group", `/(a{900})${"(?!\\1[bc])".repeat(60)}(a|a){17}[b-c]`), modes: ["dynamic"] },
  onCanary("(a|a){17}[b-c]", 7_900),
  onCanary("(a|a){17}[b-c]", 1_000),
  onCanary("(?:a*+[bc]|){30}z", 1_000),
  {
    what: "32 aliases, a host of 249 letters",
    objects: Array.from({ length: 32 }, (_, at) => {
      const annotations = { "server-alias": `~(?:[a.]*[b-c]|a|a){20}${at}` };
      return ingress({ name: `slow-${at}`, host: `slow-${at}.example`, annotations });
    }),
    host: Array.from({ length: 4 }, () => a(60)).join("."),
  },
  { what: "a host of 3,950 labels", objects: [], host: "a.".repeat(3_950).slice(0, -1) },
];

export async function attacksOf(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const mode of ["dynamic", "static"] as const) {
    const standing = [ingressClass, service(0), slice(0, ["127.0.0.1"]), ingress({ name: "last", host: "0.example" })];
    const served = await serving({ files: { "standing.yaml": fileOf(standing) }, flags: [`--mode=${mode}`] });
    for (const attack of attacks.filter(({ modes = [mode] }) => modes.includes(mode)))
      figures.push(await measured(served, mode, attack));
    await served.remove();
  }
  return figures;
}

let number = 0;

async function measured(
  served: Served,
  mode: string,
  { what, objects, host, path = "/", headers }: Attack,
): Promise<Figure> {
  number += 1;
  // The objects are live when a host beside them is.
  served.write("attack.yaml", fileOf([...objects, ingress({ name: "live", host: `live-${number}.example` })]));
  await until("the attack", async () => (await served.ask(`live-${number}.example`)).status !== 404);
  const ask = () => request({ to: `127.0.0.1:${ports.http}`, host, path, headers: { ...headers } });
  const values: number[] = [];
  while (values.length < tries) {
    const workers = workersOf(served);
    const before = cpuMicroseconds(workers);
    await ask();
    // A reload replaces the workers; the next request then counts.
    if (String(workersOf(served)) === String(workers)) values.push((cpuMicroseconds(workers) - before) / 1_000);
  }
  // The first request compiles the patterns, so the slowest one counts.
  return { what: `${what}, ${mode}`, unit: "ms", values, bound, tail: true };
}

function workersOf({ runFolder: root }: Served): readonly number[] {
  const running = nginxProcesses({ root, conf: join(root, "nginx.conf") });
  return running.flatMap(({ role, draining, pid }) => (role === "worker" && !draining ? [pid] : []));
}

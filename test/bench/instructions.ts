/**
 * Counts the instructions of nginx's worker for one request, for Sluice's text and for a
 * hand-written nginx.conf that proxies the same hosts with the same log. valgrind counts them, so
 * the figures are the same on a busy machine; they leave the kernel out. nginx runs as one process,
 * with what Sluice has written and without Sluice. Request metrics are left out: their work of each
 * second would be shared by the few requests that nginx serves in a second under valgrind. A
 * second text of Sluice has the same hosts, and routes with hosts of their own: on a port of a
 * Gateway, and on the ports of Ingresses.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { makeCertificate } from "../../src/edges/admission/own-certificate.ts";
import { request } from "../nginx/support/request.ts";
import { ports, serving } from "../nginx/support/serve.ts";
import { until } from "../nginx/support/until.ts";
import type { Figure } from "./measured.ts";
import { backend, handWritten, pairIn, startNginx } from "./support/hand-written.ts";
import { fileOf, filesOf, hostOf, secretOf, settingsFlag } from "./support/hosts.ts";
import { openLoad, type Protocol } from "./support/load.ts";
import { besideOf, gateway, gatewayClass, route } from "./support/routes.ts";
import { sizesOr } from "./support/sizes.ts";

const [backendPort, http, https, gatewayPort] = [21_950, 21_951, 21_952, 21_953];
const [ourBackend, theirBackend] = ["127.0.0.1", "127.0.0.2"];
/** After so many requests LuaJIT has compiled its code. */
const warmUp = 2_000;
const counted = 2_000;
const protocols: Readonly<Record<Protocol, string>> = { http: "HTTP/1.1", https: "HTTP/1.1 over TLS", h2: "HTTP/2" };

const flags = ["--mode=dynamic", "--enable-metrics=false"];
/** The bound, as a multiple of the instructions of the hand-written text. */
const bound = 1.1;

/**
 * Memory of 2 KB and more, such as that of 128 variables, is cleared by one instruction that
 * repeats itself, and valgrind would count each byte.
 */
const noRepeatedStores = "glibc.cpu.x86_rep_stosb_threshold=1000000";

/** Requests that are counted together. */
interface Scene {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly names: readonly string[];
}

export async function instructions(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const hosts of sizesOr([10])) {
    const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
    const certificate = await makeCertificate(["example"], new Date());
    const backends = await startNginx(backend([ourBackend, theirBackend], backendPort));
    const names = Array.from({ length: hosts }, (_, at) => hostOf(at));
    const listeners = { http, https, backend: `${theirBackend}:${backendPort}`, ...pairIn(folder, certificate) };
    const text = handWritten({ hosts: names, ...listeners, keepalive: 320, services: false });
    const byHand = join(folder, "theirs");
    mkdirSync(join(byHand, "temp"), { recursive: true });
    const theirs = await counts(text.replaceAll("{root}", byHand), byHand, scenes("by hand", names, { http, https }));
    const written = { hosts, log: join(folder, "access.log"), certificate };
    const root = join(folder, "ours");
    const ours = await counts(await writtenBySluice(root, written), root, scenes("dynamic", names, ports));
    const both = join(folder, "both");
    const besides = await counts(await writtenBySluice(both, { ...written, routes: true }), both, besidesOf(names));
    figures.push(
      ...[...theirs, ...ours, ...besides].map(([name, value]) => {
        return { what: `${name}: instructions of a request`, hosts, unit: "", values: [Math.round(value)] } as const;
      }),
      ...ratios(hosts, [...ours.values()], [...theirs.values()]),
    );
    await backends.stop();
    rmSync(folder, { recursive: true });
  }
  return figures;
}

function scenes(
  by: string,
  names: readonly string[],
  at: { readonly http: number; readonly https: number },
): readonly Scene[] {
  return (Object.keys(protocols) as Protocol[]).map((protocol) => {
    const port = protocol === "http" ? at.http : at.https;
    return { name: `${protocols[protocol]}, ${by}`, protocol, port, names };
  });
}

function besidesOf(names: readonly string[]): readonly Scene[] {
  const plain = (name: string, port: number, of: readonly string[]): Scene => {
    return { name: `HTTP/1.1, ${name}`, protocol: "http", port, names: of };
  };
  return [
    plain("an HTTPRoute on a Gateway's port", gatewayPort, names),
    plain("an Ingress on a port of both", ports.http, names),
    plain("an HTTPRoute on a port of both", ports.http, names.map(besideOf)),
  ];
}

function ratios(hosts: number, ours: readonly number[], theirs: readonly number[]): Figure[] {
  return Object.values(protocols).map((name, at) => {
    const values = [ours[at]! / theirs[at]!];
    return { what: `${name}, dynamic: instructions beside the hand-written`, hosts, unit: "times", values, bound };
  });
}

interface Written {
  readonly hosts: number;
  readonly log: string;
  readonly certificate: Parameters<typeof secretOf>[1];
  /** Whether it has routes, too. */
  readonly routes?: boolean;
}

/**
 * Returns Sluice's text for these hosts. It copies the run folder, whose journal has the routes.
 */
async function writtenBySluice(root: string, { hosts, log, certificate, routes }: Written): Promise<string> {
  const settings = { "access-log-path": log, "keep-alive-requests": "1000000", "ssl-redirect": "false" };
  const files = filesOf({ hosts, endpoint: { address: ourBackend, port: backendPort }, settings });
  files["certificate.yaml"] = fileOf([secretOf(0, certificate)]);
  if (routes === true) files["routes.yaml"] = fileOf(routeObjects(hosts));
  const given = [settingsFlag, "--default-ssl-certificate=shop/tls-0", "--shared-gateway=shop/both", ...flags];
  const served = await serving({ files, flags: given });
  await until("the last host", async () => (await served.ask(hostOf(hosts - 1))).status === 200);
  cpSync(served.runFolder, root, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  const text = readFileSync(join(served.runFolder, "nginx.conf"), "utf8").replaceAll(served.runFolder, root);
  await served.remove();
  return text;
}

/** Returns the instructions of one request, by the names of the scenes. */
async function counts(conf: string, root: string, scenes: readonly Scene[]): Promise<ReadonlyMap<string, number>> {
  const file = join(root, "counted.conf");
  writeFileSync(file, conf.replace(/^worker_processes .*$/m, "worker_processes 1;"));
  const out = join(root, "callgrind.out");
  const nginx = ["nginx", "-p", `${root}/`, "-e", "stderr", "-c", file, "-g", "daemon off; master_process off;"];
  const child = execa("valgrind", ["--tool=callgrind", `--callgrind-out-file=${out}`, ...nginx], {
    env: { GLIBC_TUNABLES: noRepeatedStores },
    reject: false,
  });
  const [{ port: first, names }] = scenes as readonly [Scene];
  const ask = () => request({ to: `127.0.0.1:${first}`, host: names[0]! }).catch(() => undefined);
  await Promise.race([
    until("nginx under valgrind", async () => (await ask())?.status === 200, 300_000),
    child.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  const found = new Map<string, number>();
  for (const [at, { name, protocol, port, names: hosts }] of scenes.entries()) {
    const load = await openLoad({ protocol, hosts, port }, 8);
    await load.run(warmUp);
    await execa("callgrind_control", ["--zero", String(child.pid)]);
    await load.run(counted);
    await execa("callgrind_control", [`--dump=${at}`, String(child.pid)]);
    load.close();
    found.set(name, totalIn(root, at) / counted);
  }
  child.kill("SIGTERM");
  await child;
  return found;
}

/** Returns the instructions in the dump of a scene. Dumps are numbered from 1 on. */
function totalIn(root: string, scene: number): number {
  const text = readFileSync(join(root, `callgrind.out.${scene + 1}`), "utf8");
  return Number(/^(?:totals|summary): (\d+)/m.exec(text)?.[1]);
}

/** The Gateway `apart` has the names of the Ingresses, and `both` has others. */
function routeObjects(hosts: number): readonly object[] {
  const all = Array.from({ length: hosts }, (_, at) => at);
  return [
    gatewayClass,
    gateway("apart", gatewayPort),
    gateway("both", 80),
    ...all.flatMap((at) => [
      route(at, { gateway: "apart", host: hostOf(at) }),
      route(at, { gateway: "both", host: besideOf(hostOf(at)) }),
    ]),
  ];
}

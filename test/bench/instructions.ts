/**
 * Counts the instructions of nginx's worker for one request, for Sluice's text and for a
 * hand-written nginx.conf that proxies the same hosts with the same log. valgrind counts them, so
 * the figures are the same on a busy machine; they leave the kernel out. nginx runs as one process,
 * with what Sluice has written and without Sluice. Request metrics are left out: their work of each
 * second would be shared by the few requests that nginx serves in a second under valgrind.
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
import { sizesOr } from "./support/sizes.ts";

const [backendPort, http, https] = [21_950, 21_951, 21_952];
const [ourBackend, theirBackend] = ["127.0.0.1", "127.0.0.2"];
/** After so many requests LuaJIT has compiled its code. */
const warmUp = 2_000;
const counted = 2_000;
const protocols: Readonly<Record<Protocol, string>> = { http: "HTTP/1.1", https: "HTTP/1.1 over TLS", h2: "HTTP/2" };

const flags = ["--mode=dynamic", "--enable-metrics=false"];
/** The bound, as a multiple of the instructions of the hand-written text. */
const bound = 1.1;

type PerProtocol = Readonly<Record<Protocol, number>>;

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
    const theirs = await counts(text.replaceAll("{root}", byHand), { root: byHand, names, http, https });
    figures.push(...figuresOf("by hand", hosts, theirs));
    const root = join(folder, "ours");
    const conf = await writtenBySluice(root, { hosts, log: join(folder, "access.log"), certificate });
    const ours = await counts(conf, { root, names, ...ports });
    figures.push(...figuresOf("dynamic", hosts, ours), ...ratios(hosts, ours, theirs));
    await backends.stop();
    rmSync(folder, { recursive: true });
  }
  return figures;
}

function figuresOf(name: string, hosts: number, found: PerProtocol): Figure[] {
  return Object.entries(found).map(([protocol, value]) => {
    const what = `${protocols[protocol as Protocol]}, ${name}: instructions of a request`;
    return { what, hosts, unit: "", values: [Math.round(value)] };
  });
}

function ratios(hosts: number, ours: PerProtocol, theirs: PerProtocol): Figure[] {
  return Object.entries(protocols).map(([protocol, name]) => {
    const values = [ours[protocol as Protocol] / theirs[protocol as Protocol]];
    return { what: `${name}, dynamic: instructions beside the hand-written`, hosts, unit: "times", values, bound };
  });
}

interface Written {
  readonly hosts: number;
  readonly log: string;
  readonly certificate: Parameters<typeof secretOf>[1];
}

/**
 * Returns Sluice's text for these hosts. It copies the run folder, whose journal has the routes.
 */
async function writtenBySluice(root: string, { hosts, log, certificate }: Written): Promise<string> {
  const settings = { "access-log-path": log, "keep-alive-requests": "1000000", "ssl-redirect": "false" };
  const files = filesOf({ hosts, endpoint: { address: ourBackend, port: backendPort }, settings });
  files["certificate.yaml"] = fileOf([secretOf(0, certificate)]);
  const served = await serving({ files, flags: [settingsFlag, "--default-ssl-certificate=shop/tls-0", ...flags] });
  await until("the last host", async () => (await served.ask(hostOf(hosts - 1))).status === 200);
  cpSync(served.runFolder, root, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  const text = readFileSync(join(served.runFolder, "nginx.conf"), "utf8").replaceAll(served.runFolder, root);
  await served.remove();
  return text;
}

interface Counted {
  readonly root: string;
  readonly names: readonly string[];
  readonly http: number;
  readonly https: number;
}

async function counts(conf: string, { root, names, http: plain, https: secure }: Counted): Promise<PerProtocol> {
  const file = join(root, "counted.conf");
  writeFileSync(file, conf.replace(/^worker_processes .*$/m, "worker_processes 1;"));
  const out = join(root, "callgrind.out");
  const nginx = ["nginx", "-p", `${root}/`, "-e", "stderr", "-c", file, "-g", "daemon off; master_process off;"];
  const child = execa("valgrind", ["--tool=callgrind", `--callgrind-out-file=${out}`, ...nginx], { reject: false });
  const ask = () => request({ to: `127.0.0.1:${plain}`, host: names[0]! }).catch(() => undefined);
  await Promise.race([
    until("nginx under valgrind", async () => (await ask())?.status === 200, 300_000),
    child.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  const found: Record<Protocol, number> = { http: 0, https: 0, h2: 0 };
  for (const protocol of Object.keys(protocols) as Protocol[]) {
    const load = await openLoad({ protocol, hosts: names, port: protocol === "http" ? plain : secure }, 8);
    await load.run(warmUp);
    await execa("callgrind_control", ["--zero", String(child.pid)]);
    await load.run(counted);
    await execa("callgrind_control", [`--dump=${protocol}`, String(child.pid)]);
    load.close();
    found[protocol] = totalIn(root, protocol) / counted;
  }
  child.kill("SIGTERM");
  await child;
  return found;
}

/**
 * Returns the instructions in the dump of a protocol. Dumps are numbered in the order of protocols.
 */
function totalIn(root: string, protocol: Protocol): number {
  const number = 1 + Object.keys(protocols).indexOf(protocol);
  const text = readFileSync(join(root, `callgrind.out.${number}`), "utf8");
  return Number(/^(?:totals|summary): (\d+)/m.exec(text)?.[1]);
}

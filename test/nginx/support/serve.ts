/**
 * Runs `sluice serve` like a user: as a process of its own on a folder of files, on ports that the
 * backends of tests do not use.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { nginxProcesses } from "../../../src/nginx/process/processes.ts";
import { type Answer, request } from "./request.ts";
import { until } from "./until.ts";

const root = join(import.meta.dirname, "../../..");
export const program = join(root, "src/main.ts");
export const ports = { http: 21_080, https: 21_443, health: 21_254, status: 21_246, default: 21_181 };

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface Served {
  readonly pid: number;
  /** Writes a manifest; undefined removes it. */
  write(file: string, text: string | undefined): void;
  readonly folder: string;
  readonly runFolder: string;
  /** The JSON lines of its output so far. */
  lines(): readonly LogLine[];
  /** Everything it printed so far. */
  printed(): string;
  logged(pattern: RegExp): Promise<LogLine>;
  ask(host: string, path?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  health(path?: string): Promise<Answer>;
  /** Resolves with the exit code, or the signal that killed it. */
  readonly ended: Promise<number | string>;
  signal(name: NodeJS.Signals): void;
  /** The number of its nginx processes. */
  nginxes(): number;
  /** Ends it, if it has not ended, and removes its folders. */
  remove(): Promise<void>;
}

export interface ServeOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The longest wait until it serves. */
  readonly limitMs?: number;
  /** Arguments of Node in place of the program of the sources. */
  readonly node?: readonly string[];
  /** The run folder of an earlier process; a new folder if undefined. */
  readonly earlier?: string;
  /** Wraps the command line in another command, such as one that provides a terminal. */
  readonly through?: (command: readonly string[]) => readonly string[];
}

export interface IngressOfWeb {
  readonly host: string;
  readonly name?: string;
  readonly path?: string;
  /** Annotations as they are written between braces. */
  readonly annotations?: string;
}

/** Makes an Ingress of shop that sends one path of one host to the Service shop/web. */
export const toWeb = ({ host, name = "web", path = "/", annotations = "" }: IngressOfWeb): string =>
  `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, namespace: shop, annotations: {${annotations}} }
spec:
  rules:
    - host: "${host}"
      http: { paths: [{ path: ${path}, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`;

/** The GatewayClass of Sluice. */
export const gatewayClass = `apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: sluice }
spec: { controllerName: sluice.dev/gateway-controller }
`;

/** Makes the Service shop/web with one endpoint, on this port of 127.0.0.1. */
export const webAt = (port: number): string => `apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: shop, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
endpoints: [{ addresses: [127.0.0.1] }]
ports: [{ port: ${port} }]
`;

/** Starts it and does not wait. */
export function startServe({
  files,
  flags = [],
  env = {},
  through = (command) => command,
  node = [program],
  earlier,
}: ServeOptions): Served {
  const base = mkdtempSync(join(tmpdir(), "sluice-serve-"));
  const folder = join(base, "manifests");
  const runFolder = earlier ?? join(base, "run");
  const write = (file: string, text: string | undefined): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    // The file is written in one step. On a busy machine it might otherwise stay empty for longer
    // than the reader of the folder waits for the rest.
    if (text !== undefined) writeFileSync(`${path}.new`, text);
    if (text !== undefined) renameSync(`${path}.new`, path);
    else rmSync(path);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const given = [
    `--http-port=${ports.http}`,
    `--https-port=${ports.https}`,
    `--healthz-port=${ports.health}`,
    `--status-port=${ports.status}`,
    `--default-server-port=${ports.default}`,
    `--run-folder=${runFolder}`,
  ];
  const [command = "", ...rest] = through([process.execPath, ...node, "serve", folder, ...given, ...flags]);
  // The process may take as long as it needs to end, because the machine may be busy.
  const waits = { reject: false, forceKillAfterDelay: false } as const;
  const child = execa(command, rest, { ...waits, env, all: true, stdin: "ignore", buffer: false });
  let printed = "";
  child.all!.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const lines = (): LogLine[] =>
    printed
      .slice(0, printed.lastIndexOf("\n") + 1)
      .split("\n")
      .flatMap((line) => (line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line)] : []));
  const ended = child.then(({ exitCode, signal }) => exitCode ?? signal ?? "unknown");
  const nginxes = () => nginxProcesses({ root: runFolder, conf: join(runFolder, "nginx.conf") }).length;
  return {
    pid: child.pid!,
    write,
    folder,
    runFolder,
    lines,
    printed: () => printed,
    logged: (pattern) =>
      until(
        () => `a line like ${pattern} in:\n${printed}`,
        () => lines().find((line) => pattern.test(JSON.stringify(line))),
      ),
    ask: (host, path = "/", headers = {}) => request({ to: `127.0.0.1:${ports.http}`, host, path, headers }),
    health: (path = "/healthz") => request({ to: `127.0.0.1:${ports.health}`, path }),
    ended,
    signal: (name) => void child.kill(name),
    nginxes,
    remove: async () => {
      child.kill("SIGTERM");
      await ended;
      await until("nginx to end", () => nginxes() === 0);
      rmSync(base, { recursive: true });
    },
  };
}

/** Starts it and waits until it serves. */
export async function serving(options: ServeOptions): Promise<Served> {
  const served = startServe(options);
  await Promise.race([
    until(
      () => `it to serve; it printed:\n${served.printed()}`,
      () => served.lines().some(({ msg }) => msg === "serving"),
      options.limitMs ?? 100_000,
    ),
    served.ended.then((code) => Promise.reject(new Error(`it ended with ${code}:\n${served.printed()}`))),
  ]);
  return served;
}

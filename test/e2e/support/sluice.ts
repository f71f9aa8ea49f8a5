/**
 * `sluice run` as its own process beside a real cluster. It has a Pod and a Node as objects only,
 * because no kubelet runs. nginx outlives a controller that dies, so a test that starts one calls
 * `end` at its end.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { request } from "../../nginx/support/request.ts";
import { until } from "../../nginx/support/until.ts";
import { signalled } from "../../support/signalled.ts";
import type { Cluster } from "./cluster.ts";
import { Daemon } from "./daemon.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const sources = [join(root, "src/main.ts")];

export interface SluiceOptions {
  readonly cluster: Cluster;
  readonly flags?: readonly string[];
  /** False if flags name the API server. */
  readonly kubeconfig?: boolean;
  /** The user; `admin` by default. */
  readonly user?: string;
  /** A proxy before the API server. */
  readonly server?: string;
  readonly pod?: { readonly namespace: string; readonly name: string };
  /** The address of its health check. */
  readonly healthPort?: number;
  /** The program, if it is not the sources. */
  readonly program?: readonly string[];
}

export class Sluice {
  readonly process: Daemon;
  readonly folder = mkdtempSync(join(tmpdir(), "sluice-run-"));
  readonly #healthPort: number;

  constructor({
    cluster,
    flags = [],
    kubeconfig = true,
    user,
    server,
    pod = ownPod,
    healthPort = 10_254,
    program = sources,
  }: SluiceOptions) {
    this.#healthPort = healthPort;
    const account = kubeconfig ? ["--kubeconfig", cluster.kubeconfig(user, server)] : [];
    const given = [...account, "--run-folder", join(this.folder, "run")];
    const quick = ["--post-shutdown-grace-period=0", `--healthz-port=${healthPort}`];
    this.process = new Daemon({
      name: "sluice",
      command: [join(root, "node_modules/.bin/node"), ...program, "run", ...given, ...quick, ...flags],
      folder: this.folder,
      isReady: async () => (await this.health()) === 200,
      env: { POD_NAME: pod.name, POD_NAMESPACE: pod.namespace, KUBECONFIG: "" },
    });
  }

  /** Its log so far, in complete lines and without nginx's own. */
  get log(): string {
    const text = readFileSync(this.process.logFile, "utf8");
    return text.slice(0, text.lastIndexOf("\n") + 1).replace(/^[^{].*\n/gm, "");
  }

  /** Returns the status of `/healthz`; undefined while no server answers. */
  async health(): Promise<number | undefined> {
    const answer = await request({ to: `127.0.0.1:${this.#healthPort}`, path: "/healthz" }).catch(() => undefined);
    return answer?.status;
  }

  /** The nginx that belongs to it, if one runs. */
  get nginxPid(): number | undefined {
    try {
      const pid = Number(readFileSync(join(this.folder, "run/nginx.pid"), "utf8"));
      return readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "nginx" ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  /** Removes it, its nginx and its files, whatever state they are in. */
  async end(): Promise<void> {
    await this.process.stop("SIGKILL");
    await this.killNginx();
    rmSync(this.folder, { recursive: true });
  }

  /** Kills its nginx with SIGKILL, and waits until no process of it is left. */
  async killNginx(): Promise<void> {
    const nginx = this.nginxPid;
    if (nginx !== undefined) await until("nginx is gone", () => !signalled(-nginx, "SIGKILL"));
  }
}

export const ownPod = { namespace: "ingress-nginx", name: "controller-0" };

/** Creates the namespace, Node and Pod of a controller, and the class that it serves. */
/** `spec` adds to that of the Pod. */
export async function installPod(cluster: Cluster, pod = ownPod, spec: object = {}): Promise<void> {
  const { namespace, name } = pod;
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } };
  const labels = { app: "sluice" };
  const containers = [{ name: "controller", image: "sluice" }];
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    node,
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace, name, labels },
      spec: { nodeName: "node-1", containers, ...spec },
    },
    ingressClass("nginx", "k8s.io/ingress-nginx"),
  ];
  await apply(cluster, objects);
  const conditions = [{ type: "Ready", status: "True" }];
  const addresses = [{ type: "InternalIP", address: "192.0.2.1" }];
  await patchStatus(cluster, ["node", "node-1"], { addresses });
  await patchStatus(cluster, ["pod", name, "--namespace", namespace], { phase: "Running", conditions });
}

export const ingressClass = (name: string, controller: string) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name },
  spec: { controller },
});

/** Uses kubectl, as a user would. */
export async function apply(cluster: Cluster, objects: readonly object[]): Promise<void> {
  const list = { apiVersion: "v1", kind: "List", items: objects };
  await cluster.kubectl(["apply", "--server-side", "-f", "-"], { input: JSON.stringify(list) });
}

/** Writes the objects that controllers of other kinds would write. */
export async function patchStatus(cluster: Cluster, what: readonly string[], status: object): Promise<void> {
  await cluster.kubectl(["patch", ...what, "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })]);
}

/**
 * A real cluster for a test: etcd and kube-apiserver (RBAC on, tokens, TLS), on request with
 * kube-controller-manager, in a folder of its own. It runs in the network namespace that `npm test`
 * made, on 192.0.2.1, because the API server refuses endpoints in 127.0.0.0/8. No kubelet runs: a
 * test that needs Pods makes Node and Pod objects itself.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { toolPath } from "../../../scripts/kubernetes-tools.ts";
import { untilDecided } from "../../support/api-failures.ts";
import { type Authority, issueServer, newAuthority } from "./authority.ts";
import { Daemon } from "./daemon.ts";

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface ClusterOptions {
  readonly address?: string;
  readonly apiPort?: number;
  readonly etcdPort?: number;
  /** Users beside `admin`, who may do everything. The token of a user is `<name>-token`. */
  readonly users?: readonly User[];
  readonly controllerManager?: boolean;
  readonly apiServerFlags?: readonly string[];
  /** Checks of the API server's readiness that fail with its present flags. */
  readonly unready?: readonly string[];
}

export interface Cluster {
  readonly folder: string;
  readonly url: string;
  /** Replace this file and restart the API server to rotate the authority. */
  readonly authority: Authority;
  readonly etcd: Daemon;
  readonly apiServer: Daemon;
  /**
   * Returns a kubeconfig for a user, by default `admin`. `server` is the address of a proxy in
   * front of the API server.
   */
  kubeconfig(user?: string, server?: string): string;
  /**
   * Runs kubectl and returns its output; throws with its error message. It runs again if the
   * server failed without a decision.
   */
  kubectl(args: readonly string[], options?: { readonly input?: string; readonly user?: string }): Promise<string>;
  stop(): Promise<void>;
}

const admin: User = { name: "admin", groups: ["system:masters"] };

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { address = "192.0.2.1", apiPort = 6443, users = [], controllerManager = false } = options;
  const folder = mkdtempSync(join(tmpdir(), "sluice-cluster-"));
  const url = `https://${address}:${apiPort}`;
  const authority = await newAuthority(folder, "ca");
  const names = `IP:${address},IP:127.0.0.1,IP:10.96.0.1,DNS:kubernetes.default.svc`;
  await Promise.all([issueServer(authority, folder, "server", names), newAuthority(folder, "service-account")]);
  const tokens = [admin, ...users].map(tokenLine).join("\n");
  writeFileSync(join(folder, "tokens.csv"), `${tokens}\n`, { mode: 0o600 });

  const etcd = etcdIn(folder, options);
  const apiServer = apiServerIn(folder, options);
  const daemons = [etcd, apiServer];

  const cluster: Cluster = {
    folder,
    url,
    authority,
    etcd,
    apiServer,
    kubeconfig(user = admin.name, server = url) {
      const file = join(folder, `kubeconfig-${user}-${Buffer.from(server).toString("hex")}`);
      // Written once, because another program may be reading it.
      if (!existsSync(file)) writeFileSync(file, kubeconfigText(server, authority, user), { mode: 0o600 });
      return file;
    },
    async kubectl(args, { input = "", user } = {}) {
      const kubeconfig = ["--kubeconfig", cluster.kubeconfig(user), "--cache-dir", join(folder, "kubectl-cache")];
      return untilDecided(
        args,
        async () => (await execa(toolPath("kubectl"), [...kubeconfig, ...args], { input })).stdout,
      );
    },
    async stop() {
      for (const daemon of daemons.toReversed()) await daemon.stop("SIGKILL");
      rmSync(folder, { recursive: true });
    },
  };

  try {
    await etcd.start();
    await apiServer.start();
    if (controllerManager) {
      const manager = controllerManagerIn(folder, url, cluster.kubeconfig());
      daemons.push(manager);
      await manager.start();
    }
    return cluster;
  } catch (cause) {
    await cluster.stop();
    throw cause;
  }
}

const tokenLine = ({ name, groups = [] }: User) => `${name}-token,${name},${name},"${groups.join(",")}"`;

function etcdIn(folder: string, { address = "192.0.2.1", etcdPort = 2379 }: ClusterOptions): Daemon {
  const client = `http://${address}:${etcdPort}`;
  const peer = `http://${address}:${etcdPort + 1}`;
  const flags = ["--data-dir", join(folder, "etcd"), "--unsafe-no-fsync", "--log-level", "warn"];
  const addresses = ["--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer];
  return new Daemon({
    name: "etcd",
    command: [toolPath("etcd"), ...flags, ...addresses],
    folder,
    isReady: () => accepts(address, etcdPort),
    // Like the API server below, it waits for connected clients.
    endMs: 2_000,
  });
}

/**
 * Starts an API server. It is ready when it reports so and has made the namespace `default`, which
 * may come later.
 */
function apiServerIn(folder: string, options: ClusterOptions): Daemon {
  const { address = "192.0.2.1", apiPort = 6443, etcdPort = 2379, apiServerFlags = [], unready = [] } = options;
  const excluded = unready.map((check) => `exclude=${check}`).join("&");
  const flags = {
    "etcd-servers": `http://${address}:${etcdPort}`,
    "bind-address": address,
    "advertise-address": address,
    "secure-port": apiPort,
    "tls-cert-file": join(folder, "server.crt"),
    "tls-private-key-file": join(folder, "server.key"),
    "service-account-key-file": join(folder, "service-account.crt"),
    "service-account-signing-key-file": join(folder, "service-account.key"),
    "service-account-issuer": "https://kubernetes.default.svc",
    "token-auth-file": join(folder, "tokens.csv"),
    "authorization-mode": "RBAC",
    "service-cluster-ip-range": "10.96.0.0/16",
    "allow-privileged": true,
    // This plugin requires a ServiceAccount for every Pod, which only the controller manager would
    // create.
    ...(options.controllerManager ? {} : { "disable-admission-plugins": "ServiceAccount" }),
  };
  const given = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return new Daemon({
    name: "kube-apiserver",
    command: [toolPath("kube-apiserver"), ...given, ...apiServerFlags],
    folder,
    isReady: async () => {
      const says = (path: string) => answersOk(`https://${address}:${apiPort}/${path}`, join(folder, "ca.crt"));
      return (await says(`readyz?${excluded}`)) && (await says("api/v1/namespaces/default"));
    },
    // The API server waits up to a minute for every watch to end.
    endMs: 2_000,
  });
}

function controllerManagerIn(folder: string, url: string, kubeconfig: string): Daemon {
  const keys = ["--service-account-private-key-file", join(folder, "service-account.key")];
  const trust = ["--root-ca-file", join(folder, "ca.crt")];
  // Nodes in tests have no kubelet: the lifecycle controller would mark them as failed and evict
  // their Pods.
  const controllers = ["--controllers", "*,-nodeipam,-node-lifecycle-controller", "--leader-elect=false"];
  const ports = ["--secure-port", "0"];
  return new Daemon({
    name: "kube-controller-manager",
    command: [
      ...[toolPath("kube-controller-manager"), "--kubeconfig", kubeconfig],
      ...["--use-service-account-credentials", ...keys, ...trust, ...controllers, ...ports],
    ],
    folder,
    // This is the first sign that it works.
    isReady: () => answersOk(`${url}/api/v1/namespaces/default/serviceaccounts/default`, join(folder, "ca.crt")),
  });
}

function kubeconfigText(server: string, authority: Authority, user: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority": authority.certificateFile } }],
    users: [{ name: user, user: { token: `${user}-token` } }],
    contexts: [{ name: "test", context: { cluster: "test", user } }],
    "current-context": "test",
  });
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = createConnection({ host, port });
    socket.once("error", () => answer(false));
    socket.once("connect", () => {
      socket.destroy();
      answer(true);
    });
  });
}

function answersOk(url: string, authorityFile: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${admin.name}-token` };
  return new Promise((answer) => {
    const options = { ca: readFileSync(authorityFile), headers, agent: false as const, timeout: 2_000 };
    const asked = request(url, options, (response) => {
      response.resume();
      answer(response.statusCode === 200);
    });
    asked.once("timeout", () => asked.destroy());
    asked.once("error", () => answer(false));
    asked.end();
  });
}

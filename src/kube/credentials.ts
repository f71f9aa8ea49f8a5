/**
 * The address of the API server, and this process's credentials for it. client-node's KubeConfig
 * reads them and asks its authenticators before every request, because tokens and authorities are
 * rotated while the process runs. Its agents are not used: they keep the first authority for ever,
 * and refuse a server without TLS.
 */
import { existsSync } from "node:fs";
import type { Agent } from "node:http";
import type { AgentOptions, RequestOptions } from "node:https";
import { isIPv6 } from "node:net";
import type { Cluster, User } from "@kubernetes/client-node";
import { shared } from "../base/timing/shared.ts";
import { readKubeconfigs } from "./kubeconfig.ts";
import { throughProxy } from "./proxy.ts";

export interface TlsIdentity {
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  readonly servername?: string | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
}

export interface Proof {
  readonly tls: TlsIdentity;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Credentials {
  readonly server: URL;
  /** Throws when a file that is named cannot be read. */
  proof(): Promise<Proof>;
  /**
   * A pool of connections through the proxy that the kubeconfig names; absent if it names none.
   */
  readonly newAgent?: (options: AgentOptions) => Agent;
}

export interface CredentialsOptions {
  /**
   * A kubeconfig file. The default is the files of `env.KUBECONFIG`, or else the Pod's own
   * ServiceAccount.
   */
  readonly kubeconfig?: string | undefined;
  /** Replaces the server that the kubeconfig or the Pod names. */
  readonly server?: string | undefined;
  /** A context of the kubeconfig other than the current one. */
  readonly context?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Throws with a sentence if neither a kubeconfig nor a Pod's account is found, or a kubeconfig
 * cannot be read.
 */
export async function findCredentials({ kubeconfig, server, context, env }: CredentialsOptions): Promise<Credentials> {
  const files = kubeconfig ? [kubeconfig] : (env.KUBECONFIG ?? "").split(":").filter((file) => file !== "");
  const found = files.length > 0 ? await kubeConfigCredentials(files, context, env) : await podCredentials(env);
  return server ? { ...found, server: new URL(server) } : found;
}

/** Returns the credentials of the ServiceAccount that Kubernetes mounts into a Pod. */
export async function podCredentials(env: NodeJS.ProcessEnv, folder = serviceAccountFolder): Promise<Credentials> {
  const host = env.KUBERNETES_SERVICE_HOST;
  const tokenFile = `${folder}/token`;
  if (!host || !existsSync(tokenFile)) {
    throw new Error("no API server known: give --kubeconfig, set KUBECONFIG, or run in a Pod with a ServiceAccount");
  }
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT ?? "443"}`;
  const cluster = { name: "pod", server, caFile: `${folder}/ca.crt`, skipTLSVerify: false };
  const user = { name: "pod", authProvider: { name: "tokenFile", config: { tokenFile } } };
  return credentialsOf(cluster, user);
}

/** Returns the credentials of the current or the named context, of one kubeconfig or of several. */
export async function kubeConfigCredentials(
  files: readonly string[],
  context?: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Credentials> {
  const { cluster, user } = await readKubeconfigs(files, context, env);
  return credentialsOf(cluster, user);
}

async function credentialsOf(cluster: Cluster, user: User): Promise<Credentials> {
  // Loaded only here, because most commands need no API server.
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
  const server = new URL(cluster.server);
  const config = new KubeConfig();
  const { proxyUrl: proxy, ...direct } = cluster;
  config.loadFromClusterAndUser(direct, user);
  // A dozen requests begin at once, and a plugin runs once for all of them.
  const proof = shared(async () => {
    const options: RequestOptions = {};
    try {
      await config.applyToHTTPSOptions(options);
    } catch (cause) {
      throw user.exec ? pluginError(user.exec.command, cause as Error) : cause;
    }
    return proofIn(options);
  });
  return {
    server,
    // As with kubectl, a server without TLS gets no credentials.
    proof: server.protocol === "http:" ? async () => ({ tls: {}, headers: {} }) : proof,
    ...(proxy ? { newAgent: await throughProxy(proxy, server) } : {}),
  };
}

const pluginError = (command: string, { message }: Error) =>
  new Error(`the kubeconfig's program ${command} gave no credential: ${message.trim()}`);

/**
 * Returns what client-node has added to the options of a request. The file of a token may end with
 * a line break, which must not be in a header.
 */
function proofIn({ ca, cert, key, servername, rejectUnauthorized, auth, headers }: RequestOptions): Proof {
  const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString("base64")}` } : {};
  const given = Object.entries((headers ?? {}) as Readonly<Record<string, string>>);
  const tls = { ca, cert, key, servername, rejectUnauthorized } as TlsIdentity;
  return {
    tls: Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined)),
    headers: { ...basic, ...Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value.trim()])) },
  };
}

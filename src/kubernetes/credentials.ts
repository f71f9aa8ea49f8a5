/**
 * The address of the API server, and this process's credentials for it. They are read again for
 * every request, because tokens and authorities are rotated in their files while the process runs.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Agent } from "node:http";
import type { AgentOptions } from "node:https";
import { isIPv6 } from "node:net";
import { readContext } from "./kubeconfig.ts";
import { fileOrData, proofOf } from "./kubeconfig-user.ts";
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
  /** The namespace of the Pod or of the kubeconfig's context. */
  readonly namespace: string | undefined;
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
  return server ? { ...found, server: new URL(server), proof: () => found.proof() } : found;
}

/** Returns the credentials of the ServiceAccount that Kubernetes mounts into a Pod. */
export async function podCredentials(env: NodeJS.ProcessEnv, folder = serviceAccountFolder): Promise<Credentials> {
  const host = env.KUBERNETES_SERVICE_HOST;
  if (!host || !existsSync(`${folder}/token`)) {
    throw new Error("no API server known: give --kubeconfig, set KUBECONFIG, or run in a Pod with a ServiceAccount");
  }
  const port = env.KUBERNETES_SERVICE_PORT ?? "443";
  const read = async (name: string) => (await readFile(`${folder}/${name}`, "utf8")).trim();
  return {
    server: new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`),
    namespace: existsSync(`${folder}/namespace`) ? await read("namespace") : undefined,
    proof: async () => ({
      tls: { ca: await read("ca.crt") },
      headers: { authorization: `Bearer ${await read("token")}` },
    }),
  };
}

/**
 * Returns the credentials of the current or the named context, of one kubeconfig or of several
 * merged in kubectl's order. As with kubectl, a server without TLS gets no credentials.
 */
export async function kubeConfigCredentials(
  files: readonly string[],
  context?: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Credentials> {
  const { cluster, user, namespace } = await readContext(files, context);
  const server = new URL(cluster.server);
  const proxy = cluster["proxy-url"];
  const userProof = proofOf(user, env);
  return {
    server,
    namespace,
    async proof() {
      if (server.protocol === "http:") return { tls: {}, headers: {} };
      const { cert, key, headers } = await userProof();
      const tls = {
        ca: await fileOrData(cluster["certificate-authority"], cluster["certificate-authority-data"]),
        cert,
        key,
        servername: cluster["tls-server-name"],
        ...(cluster["insecure-skip-tls-verify"] === true ? { rejectUnauthorized: false } : {}),
      };
      return { tls, headers };
    },
    ...(proxy ? { newAgent: await throughProxy(proxy, server) } : {}),
  };
}

/**
 * Where the API server is and how this process proves itself to it. Read again for every request, because
 * tokens and authorities are rotated in their files while the process runs.
 * client-node's KubeConfig knows the many forms of a kubeconfig, but loading it costs 85 MB (it brings every generated model along);
 * so a Pod, which needs three mounted files and nothing else, never loads it.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Agent } from "node:http";
import type { RequestOptions } from "node:https";
import { isIPv6 } from "node:net";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";

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
  /** Only where the kubeconfig names a proxy. */
  readonly agent?: Agent;
}

export interface Credentials {
  readonly server: URL;
  /** The namespace of the Pod or of the kubeconfig's context. */
  readonly namespace: string | undefined;
  /** Throws when a file that is named cannot be read. */
  proof(): Promise<Proof>;
}

export interface CredentialsOptions {
  /** A kubeconfig file; else those of `env.KUBECONFIG`, else the Pod's own ServiceAccount. */
  readonly kubeconfig?: string | undefined;
  /** Replaces the server that the kubeconfig or the Pod names. */
  readonly server?: string | undefined;
  /** A context of the kubeconfig other than the current one. */
  readonly context?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Throws with a sentence when there is nothing to go by, or when a kubeconfig cannot be read. */
export async function findCredentials({ kubeconfig, server, context, env }: CredentialsOptions): Promise<Credentials> {
  const files = kubeconfig ? [kubeconfig] : (env.KUBECONFIG ?? "").split(":").filter((file) => file !== "");
  const found = files.length > 0 ? await kubeConfigCredentials(files, context) : await podCredentials(env);
  return server ? { ...found, server: new URL(server), proof: () => found.proof() } : found;
}

/** The ServiceAccount that Kubernetes mounts into a Pod. */
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

/** The current or the named context of one kubeconfig, or of several merged in the order kubectl merges them. */
export async function kubeConfigCredentials(files: readonly string[], context?: string): Promise<Credentials> {
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
  const [merged, ...others] = await Promise.all(
    files.map(async (file) => {
      const config = new KubeConfig();
      try {
        config.loadFromFile(file);
        await followTokenFiles(config, file);
      } catch (cause) {
        // A parser goes on to show the lines around.
        const [why] = (cause as Error).message.split("\n");
        throw new Error(`kubeconfig ${file} cannot be read: ${why}`, { cause });
      }
      return config;
    }),
  );
  if (merged === undefined) throw new Error("no kubeconfig file was named");
  for (const other of others) merged.mergeConfig(other, true);
  if (context !== undefined && merged.getContextObject(context) === null)
    throw new Error(`kubeconfig ${files.join(", ")} has no context ${context}`);
  if (context !== undefined) merged.setCurrentContext(context);
  const cluster = merged.getCurrentCluster();
  if (!cluster) throw new Error(`kubeconfig ${files.join(", ")}: its current context names no cluster`);
  return {
    server: new URL(cluster.server),
    namespace: merged.getContextObject(merged.getCurrentContext())?.namespace,
    async proof() {
      const options: RequestOptions = {};
      await merged.applyToHTTPSOptions(options);
      const { ca, cert, key, servername, rejectUnauthorized } = options as TlsIdentity;
      return {
        tls: { ca, cert, key, servername, rejectUnauthorized },
        headers: headersOf(options),
        ...(cluster.proxyUrl ? { agent: options.agent as Agent } : {}),
      };
    },
  };
}

function headersOf({ auth, headers }: RequestOptions): Record<string, string> {
  const given = Object.entries((headers ?? {}) as Record<string, string>);
  // client-node keeps the line end of a token file, which is no part of a header.
  const clean = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value.trim()]));
  return auth ? { authorization: `Basic ${Buffer.from(auth).toString("base64")}`, ...clean } : clean;
}

interface KubeConfigUsers {
  readonly users: readonly { readonly name: string; authProvider?: unknown }[];
}

/** client-node passes over a user's `tokenFile`; its own authenticator for token files, which reads them every minute, is told about it. */
async function followTokenFiles(config: KubeConfigUsers, file: string): Promise<void> {
  const written = parse(await readFile(file, "utf8")) as {
    readonly users?: readonly { readonly name: string; readonly user?: { readonly tokenFile?: string } }[];
  };
  for (const { name, user } of written.users ?? []) {
    const known = config.users.find((candidate) => candidate.name === name);
    if (known === undefined || user?.tokenFile === undefined) continue;
    known.authProvider = { name: "tokenFile", config: { tokenFile: resolve(dirname(file), user.tokenFile) } };
  }
}

/**
 * The credentials of a kubeconfig's user: certificates, tokens, a password, or the output of a
 * plugin.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import { promisify } from "node:util";
import type { Plugin, User } from "./kubeconfig.ts";

export interface UserProof {
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns a function that reads the credentials. Files are read each time, because they are
 * rotated. Throws if one cannot be read, or if a plugin fails. A plugin gets `env` together
 * with its own variables.
 */
export function proofOf(user: User, env: NodeJS.ProcessEnv): () => Promise<UserProof> {
  const plugged = user.exec !== undefined && user.exec !== null ? pluginProof(user.exec, env) : undefined;
  const provided = user["auth-provider"] ? providerProof(user["auth-provider"]) : undefined;
  return async () => {
    const other = plugged !== undefined ? await plugged() : await provided?.();
    return {
      cert: other?.cert ?? (await fileOrData(user["client-certificate"], user["client-certificate-data"])),
      key: other?.key ?? (await fileOrData(user["client-key"], user["client-key-data"])),
      headers: {
        ...(user.username ? basic(user.username, user.password ?? "") : {}),
        ...other?.headers,
        ...(user.token ? bearer(user.token) : {}),
        ...(user.tokenFile ? bearer(await readFile(user.tokenFile, "utf8")) : {}),
        ...(user.as ? { "impersonate-user": user.as } : {}),
      },
    };
  };
}

/** Returns undefined if neither is given. */
export async function fileOrData(file: string | undefined, data: string | undefined): Promise<Buffer | undefined> {
  if (file) return readFile(file);
  return data ? Buffer.from(data, "base64") : undefined;
}

/**
 * Returns the header with a token. The token's file may end with a line break, which must not be in
 * a header.
 */
const bearer = (token: string) => ({ authorization: `Bearer ${token.trim()}` });

const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
});

/** The answer of a plugin: an ExecCredential of `client.authentication.k8s.io`. */
interface Credential {
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

/** Runs the plugin once, and again when its credential has expired. */
function pluginProof(plugin: Plugin, env: NodeJS.ProcessEnv): () => Promise<UserProof> {
  let pending: Promise<Credential> | undefined;
  return async () => {
    const kept = await pending?.catch(() => undefined);
    const ends = kept?.status?.expirationTimestamp;
    if (kept === undefined || (ends !== undefined && Date.parse(ends) <= Date.now())) pending = askPlugin(plugin, env);
    const { token, clientCertificateData, clientKeyData } = (await pending!).status ?? {};
    return { cert: clientCertificateData, key: clientKeyData, headers: token ? bearer(token) : {} };
  };
}

async function askPlugin({ apiVersion, command, args, env: own }: Plugin, env: NodeJS.ProcessEnv): Promise<Credential> {
  const question = JSON.stringify({ kind: "ExecCredential", apiVersion, spec: { interactive: false } });
  const given = Object.fromEntries((own ?? []).map(({ name, value }) => [name, value]));
  try {
    const { stdout } = await promisify(execFile)(command, args ?? [], {
      env: { ...env, KUBERNETES_EXEC_INFO: question, ...given },
    });
    return JSON.parse(stdout) as Credential;
  } catch (cause) {
    const { stderr, message } = cause as Error & { readonly stderr?: string };
    throw new Error(`the kubeconfig's program ${command} gave no credential: ${stderr?.trim() || message}`, { cause });
  }
}

/**
 * Handles the plugins that were part of clients before plugins were programs: oidc, and once azure
 * and gcp. Only client-node has them, and it brings 30 MB of generated models, so it is loaded for
 * these few users alone.
 */
function providerProof(authProvider: NonNullable<User["auth-provider"]>): () => Promise<UserProof> {
  const loaded = import("@kubernetes/client-node/dist/config.js").then(({ KubeConfig }) => {
    const config = new KubeConfig();
    config.loadFromClusterAndUser(
      { name: "cluster", server: "https://cluster.invalid", skipTLSVerify: false },
      { name: "user", authProvider },
    );
    return config;
  });
  loaded.catch(() => {});
  return async () => {
    const options: RequestOptions = {};
    await (await loaded).applyToHTTPSOptions(options);
    const headers = Object.entries((options.headers ?? {}) as Record<string, string>);
    return { headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value.trim()])) };
  };
}

/**
 * Reads kubeconfig files with client-node's KubeConfig, and adds what kubectl does and client-node
 * 2.0.1 does not: the first file that defines a name counts, `tokenFile` is read, and a plugin that
 * is named by a path is found beside its kubeconfig and gets KUBERNETES_EXEC_INFO.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Cluster, KubeConfig, User } from "@kubernetes/client-node";
import type { ConfigOptions } from "@kubernetes/client-node/dist/config_types.js";
import { fileError } from "../base/file-errors.ts";

export interface Context {
  readonly cluster: Cluster;
  readonly user: User;
}

/**
 * Returns the context `wanted`, or else the current one. A plugin gets `env` together with its own
 * variables. Throws an error whose message is a sentence that names the file or files.
 */
export async function readKubeconfigs(
  files: readonly string[],
  wanted: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Context> {
  const configs = await Promise.all(files.map((file) => readKubeconfig(file, env)));
  const first = <T extends { readonly name: string }>(list: (config: KubeConfig) => readonly T[], name?: string) =>
    configs.flatMap(list).find((one) => one.name === name);
  const name = wanted ?? configs.map((config) => config.getCurrentContext()).find((current) => current) ?? "";
  const all = `kubeconfig ${files.join(", ")}`;
  const context = first((config) => config.getContexts(), name);
  if (context === undefined && wanted !== undefined) throw new Error(`${all} has no context ${wanted}`);
  const cluster = first((config) => config.getClusters(), context?.cluster);
  if (cluster === undefined) throw new Error(`${all}: its current context names no cluster`);
  if (!URL.canParse(cluster.server)) throw new Error(`${all}: the server ${cluster.server} is no URL`);
  const user = first((config) => config.getUsers(), context?.user) ?? { name: "nobody" };
  return { cluster, user };
}

async function readKubeconfig(file: string, env: NodeJS.ProcessEnv): Promise<KubeConfig> {
  try {
    // Loaded only here, because a Pod has no kubeconfig and most commands need no API server.
    const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
    const { load } = await import("js-yaml");
    const text = await readFile(file, "utf8");
    // client-node parses the text once more, and what it makes of it has no `tokenFile`.
    const written = load(text) as { readonly users?: readonly WrittenUser[] } | null | undefined;
    if (typeof written !== "object" || written === null) throw new Error("it is no mapping of YAML");
    const config = new KubeConfig();
    config.loadFromString(text, { onInvalidEntry: "filter" } as ConfigOptions);
    config.makePathsAbsolute(dirname(file));
    const absolute = (path: string) => resolve(dirname(file), path);
    config.users = config.users.map((user) => completed(user, written.users ?? [], absolute, env));
    return config;
  } catch (cause) {
    // Only the first line counts: a parser adds the lines around the mistake.
    const [why] = fileError(cause).split("\n");
    throw new Error(`kubeconfig ${file} cannot be read: ${why}`, { cause });
  }
}

/** The fields of a user that client-node leaves out. */
interface WrittenUser {
  readonly name?: unknown;
  readonly user?: { readonly tokenFile?: string } | null;
}

/** The fields of `exec` that are read here. client-node passes the rest to the plugin's process. */
interface Plugin {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
}

function completed(
  user: User,
  written: readonly WrittenUser[],
  absolute: (path: string) => string,
  env: NodeJS.ProcessEnv,
): User {
  const tokenFile = written.find(({ name }) => name === user.name)?.user?.tokenFile;
  const basic = user.username ? { ...user, password: user.password ?? "" } : user;
  const plugin = user.exec as Plugin | null | undefined;
  if (user.authProvider?.name === "oidc") makeRefreshable(user.authProvider.config ?? {}, absolute);
  if (tokenFile) {
    const { token: _, ...others } = basic;
    return { ...others, authProvider: { name: "tokenFile", config: { tokenFile: absolute(tokenFile) } } };
  }
  if (!plugin?.command) return basic;
  const question = { kind: "ExecCredential", apiVersion: plugin.apiVersion, spec: { interactive: false } };
  const variables = { ...env, KUBERNETES_EXEC_INFO: JSON.stringify(question) };
  const given = Object.entries(variables).map(([name, value]) => ({ name, value: value ?? "" }));
  const command = plugin.command.includes("/") ? absolute(plugin.command) : plugin.command;
  return { ...basic, exec: { ...plugin, command, env: [...given, ...(plugin.env ?? [])] } };
}

/**
 * Makes client-node refresh a token of OpenID Connect. It gives openid-client the issuer as text,
 * which takes a URL, and with an authority of the issuer an answer that openid-client refuses. So
 * this authority is added to those that the process trusts by default.
 */
function makeRefreshable(config: Record<string, unknown>, absolute: (path: string) => string): void {
  const {
    "idp-issuer-url": issuer,
    "idp-certificate-authority": file,
    "idp-certificate-authority-data": data,
  } = config as Readonly<Record<string, string>>;
  if (issuer && URL.canParse(issuer)) config["idp-issuer-url"] = new URL(issuer);
  const authority = file ? readFileSync(absolute(file)) : data && Buffer.from(data, "base64");
  if (!authority) return;
  setDefaultCACertificates([...getCACertificates(), authority]);
  delete config["idp-certificate-authority"];
  delete config["idp-certificate-authority-data"];
}

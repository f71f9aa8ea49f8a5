/**
 * Reads kubeconfig files as kubectl does: the first file that defines a cluster, user, context or
 * current context counts. A path in a file is relative to the folder of that file, not to the
 * working directory.
 */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileError } from "../file-errors.ts";

/** The fields of Kubernetes's `clientcmd/api/v1` that are read here. */
export interface Cluster {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
}

export interface User {
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly exec?: Plugin;
  readonly "auth-provider"?: { readonly name: string; readonly config?: Readonly<Record<string, string>> };
}

/** A program that prints a credential. */
export interface Plugin {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
}

export interface Context {
  readonly cluster: Cluster & { readonly server: string };
  readonly user: User;
  readonly namespace: string | undefined;
}

interface Config {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly users: ReadonlyMap<string, User>;
  readonly contexts: ReadonlyMap<
    string,
    { readonly cluster?: string; readonly user?: string; readonly namespace?: string }
  >;
  readonly current: string | undefined;
}

/**
 * Returns the context `wanted`, or else the current one. Throws an error whose message is a
 * sentence that names the file or files.
 */
export async function readContext(files: readonly string[], wanted?: string): Promise<Context> {
  const configs = await Promise.all(files.map(readConfig));
  const first = <T>(of: (config: Config) => T | undefined): T | undefined =>
    configs.map(of).find((found) => found !== undefined);
  const name = wanted ?? first(({ current }) => current) ?? "";
  const all = `kubeconfig ${files.join(", ")}`;
  const context = first(({ contexts }) => contexts.get(name));
  if (context === undefined && wanted !== undefined) throw new Error(`${all} has no context ${wanted}`);
  const cluster = first(({ clusters }) => clusters.get(context?.cluster ?? ""));
  if (!cluster?.server) throw new Error(`${all}: its current context names no cluster`);
  const user = first(({ users }) => users.get(context?.user ?? "")) ?? {};
  return { cluster: { ...cluster, server: cluster.server }, user, namespace: context?.namespace };
}

async function readConfig(file: string): Promise<Config> {
  try {
    // Imported only here, because a Pod has no kubeconfig and does not need the parser.
    const { load } = await import("js-yaml");
    return configOf(load(await readFile(file, "utf8")), (path) => resolve(dirname(file), path));
  } catch (cause) {
    // Only the first line counts: a parser adds the lines around the mistake.
    const [why] = fileError(cause).split("\n");
    throw new Error(`kubeconfig ${file} cannot be read: ${why}`, { cause });
  }
}

function configOf(written: unknown, absolute: (path: string) => string): Config {
  const { clusters, users, contexts, "current-context": current } = fieldsOf(written);
  const resolved = <T extends object>(given: T, ...names: readonly (keyof T)[]): T => {
    const paths = names.filter((name) => given[name]).map((name) => [name, absolute(String(given[name]))]);
    return { ...given, ...Object.fromEntries(paths) };
  };
  return {
    clusters: named<Cluster>(clusters, "cluster", (one) => resolved(one, "certificate-authority")),
    users: named<User>(users, "user", (one) => ({
      ...resolved(one, "client-certificate", "client-key", "tokenFile"),
      ...(one.exec?.command?.includes("/") ? { exec: resolved(one.exec, "command") } : {}),
    })),
    contexts: named(contexts, "context", (one) => one),
    current: typeof current === "string" && current !== "" ? current : undefined,
  };
}

/** Reads a list of `{ name, [kind]: fields }` as a map from name to fields. */
function named<T extends object>(list: unknown, kind: string, read: (fields: T) => T): ReadonlyMap<string, T> {
  const entries = Array.isArray(list) ? list.map(fieldsOf) : [];
  return new Map(entries.map((entry) => [String(entry.name), read(fieldsOf(entry[kind]) as T)]));
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

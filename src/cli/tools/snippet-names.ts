/**
 * The names of shared memory zones and log formats in snippets: those that a directive declares,
 * and those that another one uses. nginx refuses a name that nothing declares.
 */
import type { Statement } from "../../core/kinds/grammar.ts";

export interface SnippetName {
  readonly sort: Sort;
  readonly name: string;
}

type Sort = "zone of limit_req" | "zone of limit_conn" | "zone of a cache" | "log format";

/** The directive that declares names of a sort, for the sentence. */
export const declaredBy: Readonly<Record<Sort, string>> = {
  "zone of limit_req": "limit_req_zone",
  "zone of limit_conn": "limit_conn_zone",
  "zone of a cache": "proxy_cache_path",
  "log format": "log_format",
};

/** The names that nginx and the templates declare. */
export const builtIn: readonly SnippetName[] = ["combined", "upstreaminfo", "log_stream"].map((name) => ({
  sort: "log format",
  name,
}));

export function namesDeclaredIn(statements: readonly Statement[]): readonly SnippetName[] {
  return statements.flatMap((one) => [...declaration(one), ...namesDeclaredIn(one.block ?? [])]);
}

const caches = "(?:proxy|fastcgi|uwsgi|scgi)_cache";
const cachePath = new RegExp(`^${caches}_path$`);
const cache = new RegExp(`^${caches}$`);

function declaration({ name, args }: Statement): readonly SnippetName[] {
  if (name === "limit_req_zone") return named("zone of limit_req", after("zone=", args)?.split(":")[0]);
  if (name === "limit_conn_zone") return named("zone of limit_conn", after("zone=", args)?.split(":")[0]);
  if (cachePath.test(name)) return named("zone of a cache", after("keys_zone=", args)?.split(":")[0]);
  return name === "log_format" ? named("log format", args[0]) : [];
}

/**
 * Returns the names that a statement uses. Names with variables are left out, because only a
 * request knows them.
 */
export function namesUsedBy({ name, args }: Pick<Statement, "name" | "args">): readonly SnippetName[] {
  if (name === "limit_req") return named("zone of limit_req", after("zone=", args));
  if (name === "limit_conn") return named("zone of limit_conn", args[0]);
  if (cache.test(name)) return args[0] === "off" ? [] : named("zone of a cache", args[0]);
  if (name !== "access_log" || args[1]?.includes("=") !== false) return [];
  return named("log format", args[1]);
}

function after(prefix: string, args: readonly string[]): string | undefined {
  return args.find((word) => word.startsWith(prefix))?.slice(prefix.length);
}

function named(sort: Sort, name: string | undefined): readonly SnippetName[] {
  return name === undefined || name === "" || name.includes("$") ? [] : [{ sort, name }];
}

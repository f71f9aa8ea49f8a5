/**
 * Variables that users may name in values of annotations: facts about a request and its route. The
 * list leaves out private data of clients (headers, cookies), which a value could carry to another
 * place, and the decoded path, in which a client can send line breaks.
 */

const names: ReadonlySet<string> = new Set([
  "args",
  "best_http_host",
  "host",
  "http_host",
  "ingress_name",
  "is_args",
  "location_path",
  "namespace",
  "pass_access_scheme",
  "pass_port",
  "query_string",
  "remote_addr",
  "req_id",
  "request_id",
  "request_method",
  "request_uri",
  "scheme",
  "server_name",
  "server_port",
  "service_name",
  "service_port",
]);

export const isRequestVariable = (name: string): boolean => names.has(name) || /^arg_\w+$/.test(name);

/**
 * Whether the variable is allowed in values that only the backend gets, because it gets the
 * client's headers anyway.
 */
export const isBackendVariable = (name: string): boolean => isRequestVariable(name) || /^(http|cookie)_\w+$/.test(name);

/** Returns the variables in `raw`, as `$name` or `${name}`, that are neither allowed nor groups. */
export function strangersIn(raw: string, allowed: (name: string) => boolean): readonly string[] {
  const found = [...raw.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)].map(([, braced, bare]) => braced ?? bare ?? "");
  return found.filter((name) => !allowed(name) && !/^[1-9]/.test(name));
}

/**
 * Whether the variable is allowed in a new path for the backend. nginx escapes that path again, so
 * a decoded path is harmless there.
 */
export const isPathVariable = (name: string): boolean =>
  name === "uri" || name === "document_uri" || isBackendVariable(name);

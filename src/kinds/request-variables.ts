/**
 * Variables that users may name in values of annotations: what a request is, and whose it is.
 * Nothing is among them that a client keeps to itself (headers, cookies), or a value would carry it
 * to a place of the author's choice; nor the decoded path, in which a client can send line breaks.
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

/** In what only the backend sees, which gets the client's headers anyway. */
export const isBackendVariable = (name: string): boolean => isRequestVariable(name) || /^(http|cookie)_\w+$/.test(name);

/** `$name` and `${name}` in `raw` that are not among the allowed ones, nor groups. */
export function strangersIn(raw: string, allowed: (name: string) => boolean): readonly string[] {
  const found = [...raw.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)].map(([, braced, bare]) => braced ?? bare ?? "");
  return found.filter((name) => !allowed(name) && !/^[1-9]/.test(name));
}

/**
 * In a new path for the backend, which nginx encodes again: there the decoded path does no harm.
 */
export const isPathVariable = (name: string): boolean =>
  name === "uri" || name === "document_uri" || isBackendVariable(name);

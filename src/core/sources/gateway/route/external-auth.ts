/**
 * Reads the auth service of a rule (GEP-1494). If it cannot be used as the rule demands, no
 * request passes.
 */
import type { AuthService } from "../../../model/filters.ts";
import type { HTTPRouteFilter } from "../../../model/gateway/objects.ts";
import type { Mistake, Problem } from "../../../model/problem.ts";
import { always } from "../../../policies/external-auth/filter.ts";
import type { Fault } from "../conditions.ts";
import { upstreamFor } from "./backends.ts";
import { type BackendWorld, grpcProtocols, targetOf, whyBroken } from "./targets.ts";

export type AuthRead = { readonly auth: AuthService | undefined } | { readonly fault: Fault };

/** Reads the filter. `filters` have no mistakes in their values, and `field` is their field. */
export function authOf(filters: readonly HTTPRouteFilter[], field: string, world: BackendWorld): AuthRead {
  const at = filters.findIndex(({ type }) => type === "ExternalAuth");
  const filter = filters[at]?.externalAuth;
  if (filter === undefined) return { auth: undefined };
  const refused = (reason: string, part: string, mistake: Mistake): AuthRead => {
    const where = `${field}[${at}].externalAuth.backendRef${part}`;
    const done = "the requests of the rule get 500";
    const problem: Problem = { object: world.object, field: where, ...mistake, done };
    return { fault: { reason, problem } };
  };
  const isGrpc = filter.protocol === "GRPC";
  const found = targetOf(filter.backendRef, isGrpc ? { ...world, protocols: grpcProtocols } : world);
  if ("mistake" in found) return refused(found.reason, found.part, found.mistake);
  const { key, port, protocol, tls, broken } = found;
  if (broken !== undefined) return refused("UnsupportedProtocol", "", whyBroken(broken));
  if (!isGrpc && protocol === "h2c") {
    const why = `port ${port} of Service ${key} is asked over HTTP/2, and an auth service of protocol HTTP over HTTP/1.1 alone`;
    return refused("UnsupportedProtocol", "", { kind: "value-unsupported", why });
  }
  const { path = "", allowedHeaders = [], allowedResponseHeaders = [] } = filter.http ?? {};
  const lower = (names: readonly string[]) => [...new Set(names.map((name) => name.toLowerCase()))].sort();
  const isSecure = tls !== undefined || protocol === "https" || protocol === "grpcs";
  const auth: AuthService = {
    ...(isGrpc ? { isGrpc } : {}),
    ...(isSecure ? { isSecure } : {}),
    ...(tls === undefined ? {} : { tls }),
    upstream: upstreamFor(key, port),
    path: path.replace(/\/$/, ""),
    requestHeaders: isGrpc
      ? lower(filter.grpc?.allowedHeaders ?? []).filter((name) => name !== "host")
      : lower(allowedHeaders).filter((name) => !always.has(name)),
    responseHeaders: lower(allowedResponseHeaders),
    mostBody: filter.forwardBody?.maxSize ?? 0,
  };
  return { auth };
}

/**
 * The filter ExternalAuth (GEP-1494). Annotations name the URL of a service, which may be anywhere,
 * and decide about its cookies and a sign-in page; the filter names a Service, whose endpoints Lua
 * chooses, and may ask over gRPC. So the two have no value in common. The Service is looked up in
 * `src/core/sources/gateway/route/external-auth.ts`.
 */
import { shown } from "../../kinds/kind.ts";
import { settableHeaderName } from "../../kinds/reserved-headers.ts";
import type { ExternalAuthFilter } from "../../model/gateway/objects.ts";
import type { FieldMistake, RouteFilter } from "../declare.ts";

export const filter: RouteFilter = {
  type: "ExternalAuth",
  field: "externalAuth",
  mistake: ({ externalAuth }) => authMistake(externalAuth!),
};

/** Headers that every question has. */
export const always = new Set(["host", "method", "path", "content-length", "authorization"]);

const none: ReadonlySet<string> = new Set();

/** Returns a mistake in the values of a filter: its field below `externalAuth`, and the reason. */
function authMistake(auth: ExternalAuthFilter): FieldMistake | undefined {
  const { protocol, http, grpc, forwardBody } = auth;
  if (protocol !== "HTTP" && protocol !== "GRPC") {
    return { part: ".protocol", why: `${shown(String(protocol))} is not HTTP or GRPC` };
  }
  const { path = "" } = http ?? {};
  if (path !== "" && !/^\/(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})*$/.test(path)) {
    return { part: ".http.path", why: `${shown(path)} is not the beginning of a path` };
  }
  const lists = [
    [".http.allowedHeaders", http?.allowedHeaders, always],
    [".http.allowedResponseHeaders", http?.allowedResponseHeaders, none],
    [".grpc.allowedHeaders", grpc?.allowedHeaders, new Set(["host"])],
  ] as const;
  for (const [part, names = [], known] of lists) {
    for (const [at, name] of names.entries()) {
      if (known.has(name.toLowerCase())) continue;
      const read = settableHeaderName.read(name);
      if (!read.ok) return { part: `${part}[${at}]`, why: read.why };
    }
  }
  const { maxSize = 0 } = forwardBody ?? {};
  if (Number.isInteger(maxSize) && maxSize >= 0 && maxSize <= 65_535) return undefined;
  return { part: ".forwardBody.maxSize", why: `${shown(String(maxSize))} is not a number of bytes up to 65535` };
}

/**
 * The API server's rules for the fields of an HTTPRoute's rule beside matches, filters and
 * backends.
 */
import { durationMs } from "../../../core/kinds/gateway/duration.ts";
import { shown } from "../../../core/kinds/kind.ts";
import type { SessionPersistence } from "../../../core/model/gateway/objects.ts";
import { type Rule, record, text, whole, word, wrong } from "../check.ts";
import { atMost, backendReference, both, distinct, distinctTexts, few, headerName } from "./names.ts";

const authPath: Rule = (value) =>
  /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})+$/.test(value) ? undefined : `${shown(value)} is not a path`;

const duration: Rule = (value) =>
  durationMs(value) === undefined ? `${shown(value)} is not a duration such as 500ms, 10s or 1h30m` : undefined;

export const timeouts = record({ request: text(duration), backendRequest: text(duration) }, [], (value) => {
  const { request, backendRequest } = value as { readonly request?: string; readonly backendRequest?: string };
  const [all = 0, each = 0] = [request, backendRequest].map((one) => (one === undefined ? 0 : durationMs(one)));
  return all > 0 && each > all ? wrong(["backendRequest"], "it is longer than request") : [];
});

export const retry = record({
  codes: both(
    few(whole(400, 599), 200),
    distinct(String, (code) => `${code} is given twice`),
  ),
  attempts: whole(1, 2_147_483_647),
  backoff: text(duration),
});

const lifetimeType = word("Session", "Permanent");

/** The fields of version 1.6 (`sessionName`, `cookieConfig`) and of 1.7 (`cookie`, `header`). */
export const sessionPersistence = record(
  {
    sessionName: text(atMost(128)),
    absoluteTimeout: text(duration),
    type: word("Cookie", "Header"),
    cookieConfig: record({ lifetimeType }),
    cookie: record({ name: text(headerName), path: text(atMost(1_024)), lifetimeType }),
    header: record({ name: text(headerName) }, ["name"]),
  },
  [],
  (value) => {
    const { type = "Cookie", absoluteTimeout, cookieConfig, cookie } = value as SessionPersistence;
    const alien = { cookieConfig: "Cookie", cookie: "Cookie", header: "Header" };
    for (const [field, of] of Object.entries(alien)) {
      const isThere = (value as Readonly<Record<string, unknown>>)[field] !== undefined;
      if (isThere && type !== of) return wrong([field], `it must not stand beside type ${type}`);
    }
    const isPermanent = (cookie ?? cookieConfig)?.lifetimeType === "Permanent";
    const isMissing = isPermanent && absoluteTimeout === undefined;
    return isMissing ? wrong([], "absoluteTimeout is missing, and lifetimeType is Permanent") : [];
  },
);

const headerNames = distinctTexts(text(headerName), 64);

export const externalAuth = record(
  {
    protocol: word("HTTP", "GRPC"),
    backendRef: backendReference,
    grpc: record({ allowedHeaders: headerNames }),
    http: record({
      path: text(atMost(1_024), authPath),
      allowedHeaders: headerNames,
      allowedResponseHeaders: headerNames,
    }),
    forwardBody: record({ maxSize: whole(0, 65_535) }),
  },
  ["protocol", "backendRef"],
  (value) => {
    const { protocol, ...fields } = value as Record<string, unknown>;
    const [own, other] = protocol === "GRPC" ? (["grpc", "http"] as const) : (["http", "grpc"] as const);
    if (fields[other] !== undefined) return wrong([other], `it must not stand beside protocol ${protocol}`);
    return (fields[own] ?? undefined) === undefined ? wrong([], `${own} is missing, and protocol is ${protocol}`) : [];
  },
);

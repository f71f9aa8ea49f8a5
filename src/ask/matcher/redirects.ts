/**
 * Computes where redirects lead: the variables of the templates ($redirect_host, $redirect_uri,
 * $pass_port ...), and what nginx does with a target without scheme and host.
 */
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";
import type { AskedRequest, ReadRequest } from "./request.ts";
import { escapedByte } from "./spelling.ts";

export interface Ports {
  readonly http: number;
  readonly https: number;
}

/** A request with the values from which redirects are made. */
export interface Redirected {
  readonly asked: AskedRequest;
  readonly request: ReadRequest;
  readonly settings: Settings;
  readonly ports: Ports;
}

/** Statuses with which nginx sends a Location header; with any other the target is the body. */
const leading = [301, 302, 303, 307, 308];

/** Returns the scheme that the client used, which a proxy in front may report. */
export function schemeOf(asked: AskedRequest, { useForwardedHeaders }: Pick<Settings, "useForwardedHeaders">): string {
  const forwarded = useForwardedHeaders ? asked.headers.get("x-forwarded-proto") : undefined;
  return forwarded === undefined || forwarded === "" ? asked.scheme : forwarded.toLowerCase();
}

/**
 * Returns the value of `$best_http_host`: the host as the client wrote it, or as a trusted proxy
 * reports it.
 */
export function writtenHost({ asked, request, settings }: Redirected): string {
  const forwarded = settings.useForwardedHeaders ? asked.headers.get("x-forwarded-host") : undefined;
  const first = /^[^,]+/.exec(forwarded ?? "")?.[0]?.trim();
  return first || (asked.host === "" ? request.host : asked.host);
}

/** Returns the value of `$redirect_uri`: without its last slash if there is no query. */
const withoutSlash = (uri: string): string => uri.replace(/^([^?]*)\/$/, "$1");

/** Returns the feature that redirects the request to https; undefined if none does. */
export function httpsReason(
  { asked, settings }: Redirected,
  { always, whenConfigured }: { readonly always: boolean; readonly whenConfigured: boolean },
  { tls, path }: { readonly tls: boolean; readonly path: string },
): string | undefined {
  const isLeftOut = settings.noTlsRedirectLocations.some((prefix) => path.startsWith(prefix));
  if (isLeftOut || schemeOf(asked, settings) !== "http") return undefined;
  if (always) return "force-ssl-redirect";
  return whenConfigured && tls ? "ssl-redirect, since the host has TLS" : undefined;
}

export function toHttpsTarget(at: Redirected, { keepTrailingSlash, port }: HttpsRedirect): string {
  const host = writtenHost(at).replace(/^(.+):\d+$/, "$1");
  const { requestUri } = at.request;
  const uri = keepTrailingSlash ? requestUri : withoutSlash(requestUri);
  return `https://${host}${port ? `:${at.ports.https}` : ""}${uri}`;
}

interface HttpsRedirect {
  readonly keepTrailingSlash: boolean;
  readonly port: boolean;
}

/**
 * Returns the target of the redirect between a host and its www twin. nginx always names the port
 * there.
 */
export function twinTarget(at: Redirected, name: string): string {
  const own = at.asked.scheme === "https" ? at.ports.https : at.ports.http;
  const clientPort = (at.settings.useForwardedHeaders && at.asked.headers.get("x-forwarded-port")) || String(own);
  const port = clientPort === String(at.ports.https) ? "443" : clientPort;
  return `${schemeOf(at.asked, at.settings)}://${name}:${port}${withoutSlash(at.request.requestUri)}`;
}

export function appRootTarget(at: Redirected, root: string, label: string | undefined): string {
  return `${at.asked.scheme}://${writtenHost(at)}${expanded(root, [undefined, label], at)}`;
}

/**
 * Returns the Location header that nginx sends for a target. nginx adds scheme and host to a path,
 * unless the location forbids that.
 */
export function sent(
  at: Redirected,
  target: string,
  code: number,
  { redirects, sslRedirect }: Sent,
): string | undefined {
  if (!leading.includes(code)) return undefined;
  if (redirects.relative || !target.startsWith("/")) return target;
  const { scheme } = at.asked;
  const port = sslRedirect.port ? at.ports[scheme] : undefined;
  const isPlain = port === undefined || port === { http: 80, https: 443 }[scheme];
  return `${scheme}://${at.request.host}${isPlain ? "" : `:${port}`}${target}`;
}

type Sent = Pick<FeatureValues, "redirects" | "sslRedirect">;

/**
 * Returns the target of a rewrite to a URL. Groups are parts of the decoded path, and they are
 * escaped again if the client has escaped anything.
 */
export function elsewhereTarget(at: Redirected, target: string, groups: readonly (string | undefined)[]): string {
  const special = at.request.requestUri.includes("%") ? /[\x00-\x20#%&+?\x7f-\xff]/g : /[\x00-\x1f\x7f]/g;
  const escaped = groups.map((group) =>
    group === undefined ? undefined : Buffer.from(group).toString("latin1").replace(special, escapedByte),
  );
  return Buffer.from(expanded(target, escaped, at), "latin1").toString() + at.request.query;
}

/**
 * Fills in a target: `$1` to `$9` are groups of the path. Variables are replaced if the request
 * itself determines them; others stay.
 */
export function expanded(target: string, groups: readonly (string | undefined)[], at?: Redirected): string {
  return target.replace(/\$(?:(\d)|\{?(\w+)\}?)/g, (found, group?: string, name = "") => {
    if (group !== undefined) return groups[Number(group)] ?? "";
    return (at && variables[name]?.(at)) ?? found;
  });
}

const variables: Readonly<Record<string, (at: Redirected) => string>> = {
  host: ({ request }) => request.host,
  http_host: ({ asked }) => asked.host,
  best_http_host: ({ asked }) => asked.host,
  scheme: ({ asked }) => asked.scheme,
  request_uri: ({ request }) => request.requestUri,
  uri: ({ request }) => request.uri,
  args: ({ request }) => request.query.slice(1),
  is_args: ({ request }) => (request.query.length > 1 ? "?" : ""),
  request_method: ({ asked }) => asked.method,
};

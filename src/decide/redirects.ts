/**
 * Where redirects lead: the variables that the templates put together for them ($redirect_host,
 * $redirect_uri, $pass_port ...), and what nginx makes of a target without scheme and host.
 */
import type { FeatureValues } from "../annotations/registry.ts";
import type { Settings } from "../settings/registry.ts";
import type { AskedRequest, ReadRequest } from "./request.ts";

export interface Ports {
  readonly http: number;
  readonly https: number;
}

/** A request with what redirects are made of. */
export interface Redirected {
  readonly asked: AskedRequest;
  readonly request: ReadRequest;
  readonly settings: Settings;
  readonly ports: Ports;
}

/**
 * Statuses with which nginx sends a Location; with another one the target is the text of the
 * answer.
 */
const leading = [301, 302, 303, 307, 308];

/** A proxy in front may say that the client spoke https. */
export function schemeOf(asked: AskedRequest, { useForwardedHeaders }: Settings): string {
  const forwarded = useForwardedHeaders ? asked.headers.get("x-forwarded-proto") : undefined;
  return forwarded === undefined || forwarded === "" ? asked.scheme : forwarded.toLowerCase();
}

/** `$best_http_host`: as the client wrote it, or as a trusted proxy says. */
export function writtenHost({ asked, request, settings }: Redirected): string {
  const forwarded = settings.useForwardedHeaders ? asked.headers.get("x-forwarded-host") : undefined;
  const first = /^[^,]+/.exec(forwarded ?? "")?.[0]?.trim();
  return first || (asked.host === "" ? request.host : asked.host);
}

/** The value of `$redirect_uri`: without the slash at its end, where there is no query. */
const withoutSlash = (uri: string): string => uri.replace(/^([^?]*)\/$/, "$1");

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

/** To the other of a host and its `www.`: nginx names the port always. */
export function twinTarget(at: Redirected, name: string): string {
  const own = at.asked.scheme === "https" ? at.ports.https : at.ports.http;
  const said = (at.settings.useForwardedHeaders && at.asked.headers.get("x-forwarded-port")) || String(own);
  const port = said === String(at.ports.https) ? "443" : said;
  return `${schemeOf(at.asked, at.settings)}://${name}:${port}${withoutSlash(at.request.requestUri)}`;
}

export function appRootTarget(at: Redirected, root: string, label: string | undefined): string {
  return `${at.asked.scheme}://${writtenHost(at)}${expanded(root, [undefined, label], at)}`;
}

/**
 * The Location that nginx sends for a target: a path gets scheme and host, unless the location says
 * otherwise.
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
 * A rewrite to a URL: groups are parts of the decoded path, and are escaped again where the client
 * has escaped anything.
 */
export function elsewhereTarget(at: Redirected, target: string, groups: readonly (string | undefined)[]): string {
  const special = at.request.requestUri.includes("%") ? /[\x00-\x20#%&+?\x7f-\xff]/g : /[\x00-\x1f\x7f]/g;
  const percent = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  const escaped = groups.map((group) =>
    group === undefined ? undefined : Buffer.from(group).toString("latin1").replace(special, percent),
  );
  return Buffer.from(expanded(target, escaped, at), "latin1").toString() + at.request.query;
}

/**
 * `$1` to `$9` are groups of the path. Of variables those are known here that the request itself
 * says; others stay as they are written.
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
  scheme: ({ asked }) => asked.scheme,
  request_uri: ({ request }) => request.requestUri,
  uri: ({ request }) => request.uri,
  args: ({ request }) => request.query.slice(1),
  is_args: ({ request }) => (request.query.length > 1 ? "?" : ""),
  request_method: ({ asked }) => asked.method,
};

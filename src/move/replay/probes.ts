/**
 * Makes requests that show what a route table does. `probesOf` has many for each path of a host of
 * Ingresses: the path itself, paths below and beside it, with and without a slash, in another case,
 * and with the headers that canaries read. `routeRequests` has one for each route of either API.
 */

import { patternOf } from "../../ask/matcher/pattern.ts";
import type { AskedRequest } from "../../ask/matcher/request.ts";
import { hostnameOf } from "../../ask/routes/listeners.ts";
import {
  type Configuration,
  catchAll,
  type Location,
  type Route,
  type Server,
} from "../../core/model/configuration.ts";
import { originRequests } from "../../core/policies/cors/convert.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { literalPrefix } from "../../core/tokens/literal-prefix.ts";

type AnyServer = Server<FeatureValues>;

/** The label that replaces the `*` of a wildcard in requests. */
const label = "probe";

/** A host that no object names. */
const strangeHost = "host.probe.invalid";

/**
 * Returns the requests for one host. `others` are paths of other hosts, which are requested as
 * well.
 */
export function probesOf(
  server: AnyServer,
  { useForwardedHeaders }: Settings,
  others: readonly string[] = [],
): readonly AskedRequest[] {
  const paths = [...new Set(["/", "/?probe=1", "/probe-of-no-path", ...server.routes.flatMap(pathsOf), ...others])];
  const proxied = useForwardedHeaders ? ["http", "https"].map((proto) => ({ "x-forwarded-proto": proto })) : [];
  const headers = [...headersOf(server), ...proxied];
  return hostsOf(server).flatMap((host, nth) =>
    (["http", "https"] as const).flatMap((scheme) =>
      paths.flatMap((path) => {
        const plain = [get(scheme, host, path)];
        // Aliases have the routes of the host, so the headers are not tried again there.
        return nth === 0 ? [...plain, ...headers.map((more) => get(scheme, host, path, more))] : plain;
      }),
    ),
  );
}

function get(scheme: AskedRequest["scheme"], host: string, target: string, headers: Headers = {}): AskedRequest {
  return { scheme, host, target, method: "GET", headers: new Map(Object.entries(headers)) };
}

type Headers = Readonly<Record<string, string>>;

/** The most paths that are requested at a host that no Ingress names. */
const mostOthers = 300;

/** Returns a path for each route, and each path once. */
export function pathsOfAll(servers: readonly AnyServer[]): readonly string[] {
  const paths = new Set(servers.flatMap(({ routes }) => routes.flatMap((route) => pathsOf(route).slice(0, 1))));
  return [...paths].slice(0, mostOthers);
}

/**
 * Returns hosts that lead to the server. Patterns are left out, because only nginx can match them.
 */
export function hostsOf({
  name,
  aliases,
  redirectFrom,
}: Pick<AnyServer, "name" | "aliases" | "redirectFrom">): readonly string[] {
  const names = [
    name,
    ...aliases.map((alias) => alias.name),
    ...(redirectFrom === undefined ? [] : [redirectFrom.name]),
  ];
  return names.flatMap((one) => {
    if (one === catchAll) return [strangeHost];
    if (one.startsWith("~")) return [];
    if (one.startsWith("*.")) return [`${label}${one.slice(1)}`, `deep.${label}${one.slice(1)}`];
    if (one.startsWith(".")) return [one.slice(1), `${label}${one}`];
    return [one.endsWith(".*") ? `${one.slice(0, -1)}${label}` : one];
  });
}

function pathsOf({ match, path }: Route): readonly string[] {
  if (match === "regex" || match === "pattern") {
    const begins = literalPrefix(path.replace(/^\^/, "")) || "/";
    const stem = begins.replace(/\/$/, "");
    return [begins, `${stem}/`, `${stem}/probe`, `${stem}/probe/deep`, sampleOf(path), sampleOf(path).toUpperCase()]
      .filter(isPath)
      .map(escaped);
  }
  const stem = path.replace(/\/$/, "");
  return [stem === "" ? "/" : stem, `${stem}/`, `${stem}/probe`, `${stem}probe`, stem.toUpperCase()]
    .filter(isPath)
    .map(escaped);
}

const isPath = (text: string): boolean => text.startsWith("/");

/** Returns the path as a client sends it. */
function escaped(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent).replaceAll("%25", "%25");
}

/**
 * Returns a path that the pattern probably takes: a group becomes its first alternative, and a
 * class one of its characters.
 */
function sampleOf(pattern: string): string {
  let text = pattern.replace(/^\^/, "").replace(/\$$/, "");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\((?:\?[:=!<][^()]*?|)([^()|]*)(?:\|[^()]*)?\)[?*+]?/g, "$1");
  }
  return text
    .replace(/\\d[+*]?/g, "7")
    .replace(/\\w[+*]?/g, "w")
    .replace(/\[\^[^\]]*\][+*?]?/g, "n")
    .replace(/\[\\?(.)[^\]]*\](?:[+*?]|\{[^}]*\})?/g, "$1")
    .replace(/\.[*+?]/g, "any")
    .replace(/\\(.)/g, "$1")
    .replace(/[?*+]/g, "")
    .replace(/\$/g, "");
}

/** Without a password, a path with basic authentication would only show its 401. */
const withPassword = { authorization: "Basic cHJvYmU6cHJvYmU=" };

/** Returns headers for each way in which a canary may be chosen, and with a password. */
function headersOf({ locations }: AnyServer): readonly Headers[] {
  const isGuarded = locations.some(({ features }) => features.basicAuth.kind !== "none");
  const sets = locations.flatMap(canaryHeaders);
  const all = isGuarded ? [withPassword, ...sets.map((set) => ({ ...set, ...withPassword }))] : [];
  return [...new Map([...sets, ...all].map((set) => [JSON.stringify(set), set])).values()];
}

function canaryHeaders({ canaries }: Location<FeatureValues>): readonly Headers[] {
  return canaries.flatMap(({ policy: { header, headerValue, cookie } }) => {
    const name = header.toLowerCase();
    return [
      ...(header === "" ? [] : [{ [name]: "always" }, { [name]: "never" }, { [name]: "probe" }]),
      ...(headerValue === "" || header === "" ? [] : [{ [name]: headerValue }]),
      ...(cookie === "" ? [] : [{ cookie: `${cookie.toUpperCase()}=always` }, { cookie: `a=b; ${cookie}=never` }]),
    ];
  });
}

export interface RouteRequests {
  readonly requests: readonly AskedRequest[];
  /** Routes for which no request could be made, as `host path`. */
  readonly untried: readonly string[];
}

export function routeRequests({
  servers,
  listenerPorts,
}: Pick<Configuration<Settings, FeatureValues>, "servers" | "listenerPorts">): RouteRequests {
  const requests: AskedRequest[] = [];
  const untried: string[] = [];
  for (const server of servers.values()) {
    const hostname = hostnameOf(server, listenerPorts);
    const [host = strangeHost, ...others] = hostsOf({ ...server, name: hostname === "*" ? catchAll : hostname });
    const roots = server.appRoot === undefined ? others : [host, ...others];
    requests.push(...roots.flatMap((name) => schemesOf(server).map((scheme) => get(scheme, name, "/"))));
    for (const route of server.routes) {
      const target = targetOf(route);
      if (target === undefined) untried.push(`${hostname} ${route.path}`);
      else requests.push(...requestsOf(server, route, host, target));
    }
  }
  return { requests, untried };
}

/**
 * Returns the schemes of a host. One with a certificate has both, because the answer to plain http
 * is a redirect that may differ.
 */
export const schemesOf = ({ tlsConfigured, certificate }: AnyServer): readonly AskedRequest["scheme"][] =>
  tlsConfigured || certificate !== undefined ? ["https", "http"] : ["http"];

/** Returns undefined if the path is a pattern that takes none of the tried texts. */
function targetOf(route: Route): string | undefined {
  const { match, path } = route;
  if (match !== "regex" && match !== "pattern") return escaped(path);
  const pattern = patternOf(match === "regex" ? `^(?:${path})` : `^(?:${path})$`);
  const [base = "/", ...others] = pathsOf(route);
  const ends = ["", "a", "1", "/a", "/a/b", "a/", "a.html", "/1"].map((end) => base + end);
  return [...ends, ...others].find((uri) => pattern?.test(uri));
}

/** Returns the requests for a route, with those that its canaries and CORS react to. */
function requestsOf(
  server: AnyServer,
  { location, conditions }: Route,
  host: string,
  path: string,
): readonly AskedRequest[] {
  const exact = <T extends { readonly type: string }>(all: readonly T[] = []) =>
    all.filter(({ type }) => type === "exact");
  const query = exact(conditions?.query).map(({ name, value }) => [name, value].map(encodeURIComponent).join("="));
  const target = query.length === 0 ? path : `${path}?${query.join("&")}`;
  const needed = Object.fromEntries(exact(conditions?.headers).map(({ name, value }) => [name.toLowerCase(), value]));
  const { method = "GET" } = conditions ?? {};
  const schemes = schemesOf(server);
  const { features, ...at } = server.locations[location]!;
  const special: readonly { readonly method?: string; readonly headers: Headers }[] = [
    ...canaryHeaders({ features, ...at }).map((headers) => ({ headers })),
    ...originRequests(features, label),
  ];
  return [
    ...schemes.map((scheme) => ({ ...get(scheme, host, target, needed), method })),
    ...special.map(({ headers, ...more }) => ({
      ...get(schemes[0]!, host, target, { ...needed, ...headers }),
      method,
      ...more,
    })),
  ];
}

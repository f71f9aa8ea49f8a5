/**
 * Makes requests that try each route of a Configuration once, with values that its annotations
 * react to.
 */

import { patternOf } from "../../ask/matcher/pattern.ts";
import { hostnameOf } from "../../ask/routes/listeners.ts";
import type { Configuration, Location, Route, Server } from "../../core/model/configuration.ts";
import { originRequests } from "../../core/policies/cors/convert.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { literalPrefix } from "../../core/tokens/literal-prefix.ts";
import type { AskedRequest } from "./asked.ts";

type Served = Configuration<Settings, FeatureValues>;

export interface RouteRequests {
  readonly requests: readonly AskedRequest[];
  /** Routes for which no request could be made, as `host path`. */
  readonly untried: readonly string[];
}

/**
 * This label takes the place of the `*` in a wildcard. The host below is one that no object names.
 */
const label = "sluice-compare";

export function routeRequests({ servers, listenerPorts }: Pick<Served, "servers" | "listenerPorts">): RouteRequests {
  const requests: AskedRequest[] = [];
  const untried: string[] = [];
  for (const server of servers.values()) {
    const hostname = hostnameOf(server, listenerPorts);
    const host = hostOf(hostname);
    for (const name of namesBeside(server)) requests.push(...bothSchemes(server, name, "/"));
    if (server.appRoot !== undefined) requests.push(...bothSchemes(server, host, "/"));
    for (const route of server.routes) {
      const target = targetOf(route);
      if (target === undefined) {
        untried.push(`${hostname} ${route.path}`);
        continue;
      }
      requests.push(...requestsOf(server, route, host, target));
    }
  }
  return { requests, untried };
}

const hostOf = (name: string): string =>
  name === "*" ? `${label}.invalid` : name.startsWith("*.") ? `${label}${name.slice(1)}` : name;

/** Returns the aliases that are plain names, and the www twin of the host. */
function namesBeside({ aliases, redirectFrom }: Server<FeatureValues>): readonly string[] {
  const names = [...aliases, ...(redirectFrom === undefined ? [] : [redirectFrom])].map(({ name }) => name);
  return names.filter((name) => /^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/.test(name)).map(hostOf);
}

/**
 * Makes the requests for a target. A host with a certificate gets both kinds of requests, because
 * the answer to plain http is a redirect that may differ.
 */
function bothSchemes(server: Server<FeatureValues>, host: string, target: string): readonly AskedRequest[] {
  return schemesOf(server).map((scheme) => ({ method: "GET", scheme, host, target, headers: {} }));
}

const schemesOf = ({ tlsConfigured, certificate }: Server<FeatureValues>): readonly AskedRequest["scheme"][] =>
  tlsConfigured || certificate !== undefined ? ["https", "http"] : ["http"];

/** Returns undefined if the path is a pattern that takes none of the tried texts. */
function targetOf({ match, path }: Route): string | undefined {
  if (match !== "regex" && match !== "pattern") return encoded(path);
  const start = literalPrefix(path.replace(/^\^/, ""));
  const pattern = patternOf(match === "regex" ? `^(?:${path})` : `^(?:${path})$`);
  const base = start.startsWith("/") ? start : "/";
  return ["", "/", "a", "1", "/a", "/a/b", "a/", "a.html", "/1"]
    .map((end) => base + end)
    .find((uri) => pattern?.test(uri));
}

const encoded = (path: string): string => encodeURI(path).replace(/[?#]/g, encodeURIComponent);

function requestsOf(
  server: Server<FeatureValues>,
  { location: at, conditions }: Route,
  host: string,
  target: string,
): readonly AskedRequest[] {
  const location = server.locations[at]!;
  const asked = { method: conditions?.method ?? "GET", host, headers: {} as Record<string, string>, target };
  for (const { name, type, value } of conditions?.headers ?? [])
    if (type === "exact") asked.headers[name.toLowerCase()] = value;
  const query = (conditions?.query ?? []).filter(({ type }) => type === "exact");
  if (query.length > 0)
    asked.target += `?${query.map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")}`;
  const schemes = schemesOf(server);
  const plain = schemes.map((scheme): AskedRequest => ({ ...asked, scheme }));
  const [scheme = "http"] = schemes;
  const special = [...canaryHeaders(location), ...originRequests(location.features.cors, label)].map(
    ({ method = asked.method, headers }): AskedRequest => ({
      ...asked,
      method,
      scheme,
      headers: { ...asked.headers, ...headers },
    }),
  );
  return [...plain, ...special];
}

interface Special {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the header or cookie that leads to each canary. Patterns are left out, because no value
 * is sure to match them.
 */
function canaryHeaders({ canaries }: Location<FeatureValues>): readonly Special[] {
  return canaries.flatMap(({ policy: { header, headerValue, headerPattern, cookie } }): Special[] => [
    ...(header === "" || (headerPattern !== "" && headerValue === "")
      ? []
      : [{ headers: { [header.toLowerCase()]: headerValue === "" ? "always" : headerValue } }]),
    ...(cookie === "" ? [] : [{ headers: { cookie: `${cookie}=always` } }]),
  ]);
}

/**
 * Finds hosts for logs that name none: those that have a path to the upstream with this label and
 * take the target. The longest path counts.
 */
export function hostsByUpstream({ servers, upstreams }: Served): (upstream: string, target: string) => readonly Host[] {
  const byLabel = new Map<string, { host: Host; path: string }[]>();
  for (const server of servers.values()) {
    const [scheme = "http"] = schemesOf(server);
    for (const { path, match, location: at } of server.routes) {
      const location = server.locations[at]!;
      const shown = match === "exact" || match === "prefix" ? path : literalPrefix(path);
      for (const id of [...location.backends, ...location.canaries].map(({ upstream }) => upstream)) {
        const { label: name = id } = upstreams.get(id) ?? {};
        const known = byLabel.get(name) ?? [];
        known.push({ host: { name: hostOf(server.name), scheme }, path: shown });
        byLabel.set(name, known);
      }
    }
  }
  return (upstream, target) => {
    const fits = (byLabel.get(upstream) ?? []).filter(({ path }) => target.startsWith(path.replace(/\/$/, "")));
    const longest = Math.max(0, ...fits.map(({ path }) => path.length));
    const hosts = fits.filter(({ path }) => path.length === longest).map(({ host }) => host);
    return [...new Map(hosts.map((host) => [host.name, host])).values()];
  };
}

export interface Host {
  readonly name: string;
  readonly scheme: AskedRequest["scheme"];
}

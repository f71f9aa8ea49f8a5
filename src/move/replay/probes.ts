/**
 * Makes requests that show differences between two route tables. For each path of a host they have
 * the path itself, paths below and beside it, with and without a slash, in another case, and with
 * the headers that canaries read.
 */

import type { AskedRequest } from "../../ask/matcher/request.ts";
import { catchAll, type Route, type Server } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { literalPrefix } from "../../core/tokens/literal-prefix.ts";

type IngressServer = Server<FeatureValues>;

/** The label that replaces the `*` of a wildcard in requests. */
const label = "probe";

/** A host that no Ingress names. */
export const strangeHost = "host.probe.invalid";

/**
 * Returns the requests for one host. `others` are paths of other hosts, which are requested as
 * well.
 */
export function probesOf(
  server: IngressServer,
  { useForwardedHeaders }: Settings,
  others: readonly string[] = [],
): readonly AskedRequest[] {
  const paths = [...new Set(["/", "/?probe=1", "/probe-of-no-path", ...server.routes.flatMap(pathsOf), ...others])];
  const proxied = useForwardedHeaders ? ["http", "https"].map((proto) => ({ "x-forwarded-proto": proto })) : [];
  const headers = [...headersOf(server), ...proxied];
  return hostsOf(server).flatMap((host, nth) =>
    (["http", "https"] as const).flatMap((scheme) =>
      paths.flatMap((path) => {
        const asked = (more: Readonly<Record<string, string>> = {}): AskedRequest => ({
          scheme,
          host,
          target: path,
          method: "GET",
          headers: new Map(Object.entries(more)),
        });
        const plain = [asked()];
        // Aliases have the routes of the host, so the headers are not tried again there.
        return nth === 0 ? [...plain, ...headers.map((more) => asked(more))] : plain;
      }),
    ),
  );
}

/** The most paths that are requested at a host that no Ingress names. */
const mostOthers = 300;

/** Returns a path for each route, and each path once. */
export function pathsOfAll(servers: readonly IngressServer[]): readonly string[] {
  const paths = new Set(servers.flatMap(({ routes }) => routes.flatMap((route) => pathsOf(route).slice(0, 1))));
  return [...paths].slice(0, mostOthers);
}

/**
 * Returns hosts that lead to the server. Patterns are left out, because only nginx can match them.
 */
export function hostsOf({ name, aliases, redirectFrom }: IngressServer): readonly string[] {
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
  if (match === "regex") {
    const begins = literalPrefix(path) || "/";
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
function headersOf({ locations }: IngressServer): readonly Readonly<Record<string, string>>[] {
  const isGuarded = locations.some(({ features }) => features.basicAuth.kind !== "none");
  const policies = locations.flatMap(({ canaries }) => canaries.map(({ policy }) => policy));
  const sets = policies.flatMap(({ header, headerValue, cookie }) => {
    const name = header.toLowerCase();
    return [
      ...(header === "" ? [] : [{ [name]: "always" }, { [name]: "never" }, { [name]: "probe" }]),
      ...(headerValue === "" || header === "" ? [] : [{ [name]: headerValue }]),
      ...(cookie === "" ? [] : [{ cookie: `${cookie.toUpperCase()}=always` }, { cookie: `a=b; ${cookie}=never` }]),
    ];
  });
  const all = isGuarded ? [withPassword, ...sets.map((set) => ({ ...set, ...withPassword }))] : [];
  return [...new Map([...sets, ...all].map((set) => [JSON.stringify(set), set])).values()];
}

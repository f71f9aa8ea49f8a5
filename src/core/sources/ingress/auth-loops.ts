/**
 * Warns about an auth service or a page for clients that lies behind its own guard.
 *
 * A path such as `/oauth2` has to be in an Ingress without `auth-url`; beside the guarded paths it
 * is guarded too. Only a path that the Ingress names counts: `/` leaves room for a longer path of
 * another Ingress. Client certificates guard every path of a host, so there the host decides.
 */

import type { Ingress } from "../../model/objects.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import { typedPath } from "./paths.ts";

interface Doubt {
  readonly key: string;
  readonly why: string;
}

/** Returns a doubt about `auth-url`, or else about `auth-signin`, if it leads to such a path. */
export function authLoops(
  ingress: Ingress,
  { externalAuth, satisfy }: Pick<FeatureValues, "externalAuth" | "satisfy">,
  { noAuthLocations }: Pick<Settings, "noAuthLocations">,
): readonly Doubt[] {
  if (externalAuth.kind !== "ask" || externalAuth.question.by !== "ingress" || satisfy.checks === "any") return [];
  const { url, signin } = externalAuth.question;
  const isGuarded = (path: string) => !noAuthLocations.some((prefix) => path.startsWith(prefix));
  const asked = pathBehind(url, ingress);
  if (asked !== undefined && isGuarded(asked)) {
    const why = `it leads to the path ${asked} of this Ingress, which sends an auth request itself, so that no request passes; ${advice(asked)}`;
    return [{ key: "auth-url", why }];
  }
  const page = pathBehind(signin, ingress);
  if (page === undefined || !isGuarded(page) || letsOwnPathsPass(url, page)) return [];
  const why = `it leads to the path ${page} of this Ingress, so clients without a login are redirected there without end; ${advice(page)}`;
  return [{ key: "auth-signin", why }];
}

/** authentik answers 200 when it is asked about its own paths, so they may be behind the guard. */
function letsOwnPathsPass(url: string, page: string): boolean {
  const own = "/outpost.goauthentik.io";
  return url.includes(`${own}/auth/`) && page.startsWith(own);
}

const advice = (path: string): string => `give ${path} an Ingress of its own without auth-url`;

/** Returns a doubt about an `auth-tls-error-page` on a host that requests a certificate itself. */
export function certificateLoops(
  ingress: Ingress,
  { clientCertificate: value }: Pick<FeatureValues, "clientCertificate">,
): readonly Doubt[] {
  if (value.kind !== "verify" || (value.verify !== "on" && value.verify !== "optional")) return [];
  const [, name = "", path = ""] = /^https?:\/\/([^/:]+)(?::\d+)?(\/.+)?$/i.exec(value.errorPage) ?? [];
  const host = (ingress.spec?.rules ?? []).find((rule) => rule.host?.toLowerCase() === name.toLowerCase())?.host;
  if (host === undefined) return [];
  const whose = value.verify === "on" ? "without a valid one" : "with an invalid one";
  const without = path === "" ? "" : `, or the path alone, ${path}, which such clients then get without a certificate`;
  const why = `every path of ${host} requests a certificate, so clients ${whose} are redirected there without end; name a page of another host${without}`;
  return [{ key: "auth-tls-error-page", why }];
}

/** Returns the path of the Ingress to which a URL on one of its hosts leads, unless it is `/`. */
function pathBehind(url: string, { spec }: Ingress): string | undefined {
  const [, host = "", uri = ""] = /^https?:\/\/([^/?:]+)(?::\d+)?(\/[^?#]*)/i.exec(url) ?? [];
  if (host === "") return undefined;
  const isAny = /^\$\{?(?:http_|best_http_)?host\}?$/.test(host);
  const rules = (spec?.rules ?? []).filter((rule) => isAny || rule.host?.toLowerCase() === host.toLowerCase());
  const paths = rules.flatMap(({ http }) => http?.paths ?? []).map(typedPath);
  const taking = paths.filter(({ text, type }) => {
    if (text === "/" || !/^[\w./-]+$/.test(text)) return false;
    const below = text.endsWith("/") ? text : `${text}/`;
    return uri === text || (type === "prefix" && uri.startsWith(below));
  });
  return taking.map(({ text }) => text).sort((one, other) => other.length - one.length)[0];
}

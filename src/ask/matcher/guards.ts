/**
 * The guards before the backend of a Location, in the order of templates/location.tmpl and of
 * nginx's phases.
 */

import { bytesOf } from "../../core/kinds/measures.ts";
import { isElsewhere } from "../../core/kinds/rewrite-target.ts";
import type { Location } from "../../core/model/configuration.ts";
import { closedReason } from "../../core/model/location.ts";
import { named } from "../../core/model/problem.ts";
import { isAnyEnough } from "../../core/policies/any-enough.ts";
import { preflightGuard } from "../../core/policies/cors/words.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { needsPath } from "../../core/policies/snippets.ts";
import { needsText } from "../../core/render/conf/text-servers.ts";
import { hopOf } from "../../core/render/location/hops.ts";
import { hopsHeader, hopsIn, mostHops } from "../../core/tokens/hops.ts";
import { clientCertificate, demandedCertificate, isAmong } from "./client.ts";
import type { End, Guard, Stop } from "./decision.ts";
import { snippetGuard } from "./everywhere.ts";
import type { FoundHost } from "./host.ts";
import type { FoundPath } from "./paths.ts";
import { elsewhereTarget, httpsReason, type Redirected, sent, toHttpsTarget } from "./redirects.ts";

export interface Asked extends Redirected {
  readonly host: FoundHost;
  readonly found: FoundPath & { readonly kind: "location" };
  readonly isStatic?: boolean | undefined;
}

type Check = (at: Asked, features: FeatureValues, location: Location<FeatureValues>) => Stop | undefined;

/** Guards of nginx's rewrite phase, which come before the 503 of an Ingress without endpoints. */
export const earlyChecks: readonly Check[] = [
  clientCertificate,
  serverSnippet,
  loop,
  tooLarge,
  slash,
  closed,
  demandedCertificate,
  preflight,
  configurationSnippet,
  locationSnippet,
  redirected,
  rewrittenElsewhere,
  toHttps,
];

/** Checks that come before the answers of a route's filters. */
export const checksBeforeFilters: readonly Check[] = [closed, preflight, configurationSnippet, locationSnippet];

/** Guards of nginx's access phase. */
export const lateChecks: readonly Check[] = [rateLimits, modsecurity, accessLists, basicAuth, externalAuth];

/**
 * Returns the guards up to the one that stops the request; `end` is its answer, undefined if
 * none stops it.
 */
export function stopIn(
  checks: readonly Check[],
  place: Asked,
  location: Location<FeatureValues>,
): { readonly guards: readonly Guard[]; readonly end: End | undefined } {
  const guards: Guard[] = [];
  for (const check of checks) {
    const found = check(place, location.features, location);
    if (found === undefined) continue;
    const { location: target, ...guard } = found;
    guards.push(guard);
    if (guard.outcome !== "stops") continue;
    const end = { kind: "answer", status: guard.status ?? 503, why: guard.says } as const;
    return { guards, end: target === undefined ? end : { ...end, location: target } };
  }
  return { guards, end: undefined };
}

function serverSnippet({ host }: Asked): Stop | undefined {
  return snippetGuard("server-snippet", "the host's server-snippet", host.server.features.serverSnippet.text);
}

/**
 * Stops a request that has come through too many Locations. If the Location has an auth service or
 * a mirror, the request may also be a subrequest that has come back.
 */
function loop({ asked, host, found }: Asked): Stop | undefined {
  const trail = asked.headers.get(hopsHeader);
  if (trail === undefined) return undefined;
  const hops = hopsIn(trail);
  const hop = hopOf(host.server, host.server.locations.indexOf(found.location));
  const most = Math.max(mostHops - hopsIn(hop) - 1, 1);
  const asksAgain = hop !== "" && (trail.includes(hop) || hops > most);
  const returnsAgain = asked.headers.has("x-forwarded-for") && hops > mostHops;
  if (!returnsAgain && !asksAgain) return undefined;
  const says = "the request has come back to a location that asked for it, or has passed too many others";
  return { what: "loop", says, outcome: "stops", status: 508 };
}

function tooLarge({ asked }: Asked, { requestBody }: FeatureValues): Stop | undefined {
  const most = bytesOf(requestBody.most);
  const length = Number(asked.headers.get("content-length") ?? 0);
  if (most === 0 || length <= most) return undefined;
  const says = `the body has ${length} bytes, and proxy-body-size is ${requestBody.most}`;
  return { what: "request-body", says, outcome: "stops", status: 413 };
}

function slash(at: Asked, features: FeatureValues): Stop | undefined {
  const { route } = at.found;
  if (route.match !== "slash") return undefined;
  const to = leadingTo(sent(at, `${route.path}/${at.request.query}`, 301, features));
  return { what: "slash", says: "the path lacks the slash at its end", outcome: "stops", status: 301, ...to };
}

const leadingTo = (location: string | undefined) => (location === undefined ? {} : { location });

function closed(
  { host, isStatic }: Asked,
  features: FeatureValues,
  location: Location<FeatureValues>,
): Stop | undefined {
  const stop = { what: "closed", outcome: "stops", status: 503 } as const;
  if (location.closed !== undefined) return { ...stop, says: `the path is closed: ${closedReason(location)}` };
  // See server-views.ts: nginx refuses such a text beside the router.
  if (isStatic === true || !needsPath(features) || needsText(host.server)) return undefined;
  const says = "the key location-snippet has a location or an alias in it, which only hosts of Ingresses can have";
  return { ...stop, says };
}

function preflight({ asked }: Asked, features: FeatureValues): Stop | undefined {
  return preflightGuard(features, asked);
}

function configurationSnippet(_: Asked, { configurationSnippet: { text } }: FeatureValues): Stop | undefined {
  return snippetGuard("configuration-snippet", "the configuration-snippet", text);
}

function locationSnippet({ settings }: Asked): Stop | undefined {
  return snippetGuard("location-snippet", "the ConfigMap's location-snippet", settings.locationSnippet);
}

function redirected(at: Asked, features: FeatureValues, location: Location<FeatureValues>): Stop | undefined {
  const { elsewhere } = features.redirects;
  if (elsewhere === undefined) return undefined;
  const { owner } = location;
  const whose = owner === undefined || owner.kind === "Ingress" ? "the Ingress" : `RouteSettings for ${named(owner)}`;
  const says = `a redirect of ${whose}: ${elsewhere.url}`;
  const to = leadingTo(sent(at, elsewhere.url, elsewhere.code, features));
  return { what: "redirects", says, outcome: "stops", status: elsewhere.code, ...to };
}

function rewrittenElsewhere(at: Asked): Stop | undefined {
  const { found } = at;
  const target = "rewrite" in found.route ? (found.route.rewrite ?? "") : "";
  if (!isElsewhere(target)) return undefined;
  const location = elsewhereTarget(at, target, found.groups);
  return { what: "rewrite", says: `rewrite-target is a URL: ${target}`, outcome: "stops", status: 302, location };
}

function toHttps(at: Asked, { sslRedirect }: FeatureValues, location: Location<FeatureValues>): Stop | undefined {
  const { host, settings } = at;
  const tls = host.tls || location.ownTls === true;
  const why = httpsReason(at, sslRedirect, { tls, path: location.path });
  if (why === undefined) return undefined;
  return {
    what: "ssl-redirect",
    says: `http is redirected to https by ${why}`,
    // Behind PROXY protocol the port may show that the client used https.
    outcome: settings.useProxyProtocol ? "depends" : "stops",
    status: settings.httpRedirectCode,
    location: toHttpsTarget(at, sslRedirect),
  };
}

function rateLimits(
  { host: { server }, settings: { limitConnStatusCode, limitReqStatusCode } }: Asked,
  features: FeatureValues,
): Stop | undefined {
  const { connections, perSecond, perMinute } = features.rateLimits;
  const limits = [
    ...(connections > 0 ? [`${connections} connections`] : []),
    ...(perSecond > 0 ? [`${perSecond} requests a second`] : []),
    ...(perMinute > 0 ? [`${perMinute} requests a minute`] : []),
  ];
  if (limits.length === 0) return undefined;
  const codes = new Set([
    ...(connections > 0 ? [limitConnStatusCode] : []),
    ...(perSecond + perMinute > 0 ? [limitReqStatusCode] : []),
  ]);
  const snippets = [features.configurationSnippet.text, server.features.serverSnippet.text];
  const isOther = snippets.some((text) => /\blimit_(?:req|conn)_status\b/.test(text));
  const [status] = codes;
  return {
    what: "rate-limits",
    says: `each client address has ${limits.join(" and ")}${codes.size > 1 ? `; beyond them it gets ${[...codes].join(" or ")}` : ""}`,
    outcome: "depends",
    ...(codes.size === 1 && !isOther && status !== undefined ? { status } : {}),
  };
}

function modsecurity(_: Asked, features: FeatureValues): Stop | undefined {
  if (!features.modsecurity.enable) return undefined;
  return { what: "modsecurity", says: "ModSecurity inspects the request", outcome: "depends", status: 403 };
}

/** Locations without an Ingress of their own have no guards. */
const isOwned = (location: Location<FeatureValues>): boolean => location.owner !== undefined;

function accessLists(
  { asked: { client } }: Asked,
  features: FeatureValues,
  location: Location<FeatureValues>,
): Stop | undefined {
  const { allow, deny } = features.accessLists;
  if (!isOwned(location) || allow.length + deny.length === 0) return undefined;
  const only = allow.length > 0 ? [`only ${allow.join(", ")} may`] : [];
  const none = deny.length > 0 ? [`${deny.join(", ")} may not`] : [];
  const says = `of clients ${[...none, ...only].join(", and ")}`;
  const enough = enoughOf(features);
  if (client === undefined) return { what: "access-lists", says: says + enough, outcome: "depends", status: 403 };
  const mayPass = !isAmong(client, deny) && (allow.length === 0 || isAmong(client, allow));
  // With "any" a client that is not on the list may get in with a password.
  const outcome = enough !== "" ? "depends" : mayPass ? "passes" : "stops";
  const verdict = `${says}; ${client} may${mayPass ? "" : " not"}${enough}`;
  return { what: "access-lists", says: verdict, outcome, status: 403 };
}

/** Says so if a request that passes one of several checks needs no other. */
const enoughOf = (features: FeatureValues): string =>
  isAnyEnough(features) ? "; one passed check is enough (satisfy: any)" : "";

function basicAuth(at: Asked, features: FeatureValues, location: Location<FeatureValues>): Stop | undefined {
  const { basicAuth: value, satisfy, accessLists, configurationSnippet: snippet } = features;
  if (value.kind === "none" || value.realm === "off" || !authenticates(at, location)) return undefined;
  const has = at.asked.headers.get("authorization")?.toLowerCase().startsWith("basic ") ?? false;
  const says = has
    ? "the password is compared with those of the Secret"
    : "a password is asked for, and the request has none";
  // Only an allowed address is enough without a password; one that is not denied is asked for it.
  const others = satisfy.checks === "any" && (accessLists.allow.length > 0 || snippet.text !== "");
  const { externalAuth: other } = features;
  // The sign-in page of an auth service replaces every 401 of the location.
  const asksElse = other.kind === "ask" && (satisfy.checks === "any" || other.question.signin !== "");
  const outcome = has || others || asksElse ? "depends" : "stops";
  return { what: "basic-auth", says: says + enoughOf(features), outcome, status: 401 };
}

function externalAuth(at: Asked, features: FeatureValues, location: Location<FeatureValues>): Stop | undefined {
  const { externalAuth: value } = features;
  if (value.kind === "none" || !authenticates(at, location)) return undefined;
  if (value.kind !== "ask")
    return {
      what: "external-auth",
      says: "the auth service cannot be used, so no client gets in",
      outcome: "stops",
      status: 503,
    };
  const { url, signin } = value.question;
  const rest = signin === "" ? "" : `; a 401 of it becomes a redirect to ${signin}`;
  return {
    what: "external-auth",
    says: `${url} is asked, and lets pass or not${rest}${enoughOf(features)}`,
    outcome: "depends",
    status: 401,
  };
}

function authenticates({ settings }: Asked, location: Location<FeatureValues>): boolean {
  return isOwned(location) && !settings.noAuthLocations.some((prefix) => location.path.startsWith(prefix));
}

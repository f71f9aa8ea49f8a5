/**
 * The view of the location partial: its traits, each feature's view under the feature's name,
 * directives and headers.
 */

import { bytesOf } from "../../kinds/measures.ts";
import type { RouteTraits } from "../../model/route-traits.ts";
import { standInHeaders, whenClosed } from "../../policies/custom-errors.ts";
import { headerLinesOf, holds, ownTextOf } from "../../policies/hooks.ts";
import { unannotated } from "../../policies/read.ts";
import { type FeatureValues, featureList } from "../../policies/registry.ts";
import { snippetViewWith, withoutPath } from "../../policies/snippets.ts";
import { type HeaderLine, type HeaderLines, hasOwn, requestDirectives } from "../../settings/header-lines.ts";
import type { Settings } from "../../settings/registry.ts";
import { begunTrail, hopsHeaderName } from "../../tokens/hops.ts";
import type { AnswerHeader, Directive, Header, Place } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";
import { routeAuthView } from "../gateway/route-auth.ts";
import { copySockets } from "../gateway/route-copies.ts";
import { type InEveryLocation, snippetView } from "../settings/everywhere.ts";
import { otherSpellingsOf } from "../settings/forwarded.ts";
import { transportSecurity } from "../settings/transport-security.ts";
import { answerHeadersView } from "./answer-headers.ts";
import { directivesOf } from "./directives.ts";
import { areSetAround, areSetIn, divided, isSecuritySet, securityLine, settable } from "./set-headers.ts";

/** Values that all locations of a text share. */
export interface AboutLocations {
  readonly settings: Settings;
  /** Request headers that a location sends to backends unless it overrides them. */
  readonly requestHeaders: readonly Header[];
  /** Whether one of these headers names a group of the path. */
  readonly headersNameGroups: boolean;
  readonly everywhere: InEveryLocation;
}

/** Values of one location. */
export interface LocationValues {
  readonly values: FeatureValues;
  readonly denied: boolean;
  readonly redirectsToHttps: boolean;
  /** Whether it is the text for the Service that stands in for one without endpoints. */
  readonly standsIn: boolean;
  /** Whether the answer times are recorded for ewma. */
  readonly timed: boolean;
  /** The lines about headers in the host's own server-snippet. */
  readonly hostLines?: readonly HeaderLine[];
  /** The traits of a route of a Gateway. */
  readonly route?: RouteTraits;
  /** Headers of its answers beside those of its features. */
  readonly answerHeaders: readonly AnswerHeader[];
}

const redirectStatuses = [301, 302, 303, 307, 308];

export function locationView(
  given: LocationValues,
  place: Place,
  about: AboutLocations,
): Readonly<Record<string, View>> {
  const { denied, redirectsToHttps, standsIn, timed, route, hostLines = [] } = given;
  const { settings, everywhere } = about;
  const asks = denied ? undefined : route?.asks;
  const { http, server } = everywhere.headerLines;
  // In dynamic mode the text for a Service that stands in is reached by name, so it has no path.
  const values = denied
    ? whenClosed(given.values, unannotated(settings))
    : standsIn && place.dynamic
      ? withoutPath(given.values, unannotated(settings))
      : given.values;
  const view: Record<string, View> = {
    denied,
    redirectsToHttps,
    timed,
    copiesLate: !denied && route?.copiesLate === true && { most: Token.size(settings.keptBodySize) },
    route: route !== undefined && {
      answers: route.answers ?? false,
      steers: route.steers ?? false,
      limited: route.limited ?? false,
      retries: route.retriedAfter !== undefined,
      sockets: route.ways !== undefined && !denied && copySockets(route.ways, place),
      asks: asks !== undefined && routeAuthView(asks, place, about.requestHeaders, redirectStatuses.map(Token.count)),
      statuses: redirectStatuses.map(Token.count),
    },
    asksOthers: holds("asksOthers", values, "location") || route?.copies === true || asks !== undefined,
  };
  const directives: Directive[] = [];
  const headers: Header[] = standsIn ? [...standInHeaders] : [];
  if (route?.names) headers.push({ name: Token.name("Host"), value: Token.variable("route_host") });
  const answer: AnswerHeader[] = [...given.answerHeaders];
  for (const named of featureList) {
    const [name, feature] = named;
    const value = values[name] as never;
    const able = feature.needs === undefined || everywhere.can[feature.needs];
    directives.push(...directivesOf(named, values, place, settings));
    headers.push(...(feature.requestHeaders?.(value, place, settings) ?? []));
    if (feature.view !== undefined) view[name] = able && feature.view(value, place, settings);
    answer.push(...(feature.answerHeaders?.(value, place, settings) ?? []));
  }
  const keeps = route !== undefined && !denied && keepsBodies(route, values);
  if (route !== undefined && view.route !== false) {
    view.route = { ...(view.route as object), keeps, enters: keeps || route.steers === true };
    if (place.protocol === "fastcgi" && place.streams)
      directives.push({ name: Token.name("fastcgi_request_buffering"), value: Token.conf`off` });
    const most = chunkedLimit(values, place, asks?.body === true, settings);
    if (most !== undefined) {
      const at = directives.findIndex(({ name }) => String(name) === "client_max_body_size");
      directives.splice(at < 0 ? directives.length : at, at < 0 ? 0 : 1, most);
    }
  }
  const text = `${everywhere.locationText}\n${ownTextOf(values, "location")}`;
  const names = settable(answer);
  const around = areSetAround(names, [...http, ...server, ...hostLines], settings);
  const areSet = everywhere.can.headersMore && names.length > 0 && (around || areSetIn(names, text));
  const { added, last, forOrigin } = divided(answer, areSet);
  const owned = ownedByRoute(route, settings);
  if (owned.has("x-scheme") || owned.has("x-forwarded-for"))
    headers.push({ name: Token.name(hopsHeaderName), value: begunTrail });
  const own = [...everywhere.headerLines.location, ...headerLinesOf(values, "location")];
  const lines: HeaderLines = { http, server: [...server, ...hostLines], location: own };
  const setsSecurity = everywhere.can.headersMore && isSecuritySet(text, lines);
  const hasSecurity = setsSecurity && settings.hsts && !place.ofGateway;
  const security = hasSecurity ? [securityLine(transportSecurity(settings).secure!, place)] : [];
  return {
    ...view,
    ...snippetViewWith(values, { added, security }),
    setCors: forOrigin && { ...forOrigin },
    setHeaders: [...last, ...security],
    directives: directives.map((one) => ({ ...one })),
    requestHeaders: place.protocol !== "fastcgi" && {
      directive: Token.name(place.protocol === "grpc" ? "grpc_set_header" : "proxy_set_header"),
      headers: headersFor(
        place.protocol,
        headers,
        about.requestHeaders.filter((header) => !owned.has(nameOf(header))),
        hasOwn(lines, ...requestDirectives) || owned.size > 0,
        settings,
      ),
    },
    answerHeaders: answerHeadersView(added, lines, settings, place.protocol, setsSecurity),
    settings: { ...everywhere.view, snippet: snippetView(everywhere.snippet({ added, security })) },
  };
}

/** Whether a body of the route is kept, also for copies made before the backend is asked. */
function keepsBodies({ copies, copiesLate }: RouteTraits, values: FeatureValues) {
  return holds("keepsBodies", values, "location") || (copies === true && copiesLate !== true);
}

/** The largest body for an auth service, which its filter can name. */
const mostAsked = "64k";

/**
 * Returns the limit of a body in chunks, if nginx has to read it whole: for an auth service, or for
 * a backend that takes no chunks. The router compares all other bodies with that of the route.
 */
function chunkedLimit(values: FeatureValues, { protocol }: Place, isAsked: boolean, settings: Settings) {
  const { most, buffering } = values.requestBody;
  const takesChunks = protocol === "grpc" || (protocol === "http" && values.backendRequest.httpVersion !== "1.0");
  if (!isAsked && (takesChunks || buffering === "on")) return undefined;
  const limit = isAsked ? mostAsked : settings.keptBodySize;
  const own = bytesOf(most);
  if (own > 0 && own <= bytesOf(limit)) return undefined;
  return { name: Token.name("client_max_body_size"), value: Token.size(limit) };
}

const nameOf = ({ name }: Header): string => String(name).toLowerCase();

/**
 * Returns the headers that a route of a Gateway sets itself, except those that the operator sets
 * (proxy-set-headers).
 */
function ownedByRoute(route: RouteTraits | undefined, { followed }: Settings): ReadonlySet<string> {
  const set = new Set(followed.proxySetHeaders.map(({ name }) => name.toLowerCase()));
  return new Set((route?.owns ?? []).filter((name) => !set.has(name)));
}

/**
 * Returns the request headers. A location with one of its own inherits none, so all are restated
 * there. Its own header overrides one of the same name.
 */
function headersFor(
  protocol: Place["protocol"],
  own: readonly Header[],
  builtIn: readonly Header[],
  restated: boolean,
  settings: Settings,
): View {
  if (own.length === 0 && !restated) return [];
  const byName = new Map(own.map((header) => [nameOf(header), header]));
  const replaced = new Set([...byName.values()].filter(({ beside }) => beside !== true).map(nameOf));
  const others = builtIn.filter((header) => !replaced.has(nameOf(header)));
  const all = [...others, ...byName.values()];
  const set = new Set(all.map(nameOf));
  const removed = otherSpellingsOf(own, settings).filter((header) => !set.has(nameOf(header)));
  const sent = [...all, ...removed].filter(({ onlyHttp }) => protocol !== "grpc" || onlyHttp !== true);
  return sent.map(({ name, value }) => ({ name, value }));
}

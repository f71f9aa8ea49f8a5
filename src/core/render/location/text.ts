/**
 * Renders the directives of a location in either mode: in dynamic mode they are a Shape, in static
 * mode the body of a host's own location. The caller passes the differences: how a tenant's values
 * are written, and where requests go.
 */

import { namesGroups } from "../../kinds/variables.ts";
import type { BackendTls } from "../../model/backend-tls.ts";
import { defaultUpstream, type Location } from "../../model/configuration.ts";
import { backendOf } from "../../model/location.ts";
import type { RouteTraits } from "../../model/route-traits.ts";
import { ofPolicy, pooledView } from "../../policies/backend-tls/text.ts";
import { demandsCertificate } from "../../policies/client-certificate.ts";
import { signinHeaders } from "../../policies/cors/text.ts";
import { headerLinesOf, holds, ownTextOf } from "../../policies/hooks.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { redirectsAway, rewritesAgain, rewritesLate } from "../../policies/rewrite/declaration.ts";
import { needsPath, usesGroups } from "../../policies/snippets.ts";
import { forgottenLines, type HeaderLine } from "../../settings/header-lines.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import { stepsAlone } from "../../tokens/pattern-bounds.ts";
import type { AnswerHeader, HttpPart, InternalLocation, Place } from "../../tokens/place.ts";
import { poolOf, protocolOf, type Scheme } from "../../tokens/pools.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { Token, type View } from "../../tokens/token.ts";
import { InternalNames } from "../conf/internal-names.ts";
import { filesOf, type RenderedFile } from "../rendered-files.ts";
import { checkedResolver } from "../settings/composed.ts";
import { inEveryLocation } from "../settings/everywhere.ts";
import { requestHeaders } from "../settings/forwarded.ts";
import type { Template } from "../template.ts";
import { behindSocket } from "./behind-socket.ts";
import { type NamedGroup, namedGroups, noGroups } from "./named-groups.ts";
import { areSetAround } from "./set-headers.ts";
import { snippetNames, usedHeaders } from "./used-names.ts";
import { type AboutLocations, locationView } from "./view.ts";

export interface LocationText {
  /** The directives, without the braces around them. */
  readonly text: Token;
  /** Locations beside it, which every server that has it needs. */
  readonly beside: readonly BesideLocation[];
  readonly files: readonly RenderedFile[];
  /** The parts of the http block that it needs. */
  readonly needs: ReadonlySet<HttpPart>;
  /** Lines of the http block. */
  readonly http: readonly Token[];
  /** Names of the upstream blocks to which it sends. */
  readonly pools: readonly string[];
}

export interface BesideLocation {
  /** `= /_sluice/…` or `@…`, which follows the word `location`. */
  readonly match: Token;
  readonly text: Token;
}

/** The traits that decide about a Location's text beside its features. */
export interface LocationTraits {
  readonly denied: boolean;
  /** Whether no-tls-redirect-locations does not list its path. */
  readonly redirectsToHttps: boolean;
  readonly owned: boolean;
  readonly authenticates: boolean;
  readonly scheme: Scheme;
  /** Whether it is the text for the Service that stands in for one without endpoints. */
  readonly standsIn: boolean;
  /** Whether the answer times are recorded for ewma. */
  readonly timed: boolean;
  /** The lines about headers in the host's own server-snippet, if it has one. */
  readonly hostLines?: readonly HeaderLine[];
  /**
   * The author with a separate pool of kept connections, because a snippet changes how requests are
   * framed; absent for the common pool.
   */
  readonly poolsOf?: string;
  /** The namespace with zones of its own for limits; absent for the common ones. */
  readonly zonesOf?: string;
  /**
   * The path, if nginx has to match it again. Either a rewrite after a snippet removes the
   * groups that the snippet's headers name, or only one of its routes rewrites.
   */
  readonly matchedAgain?: string;
  /** Whether the path stays as it is, although its owner has a target. */
  readonly keepsUri?: true;
  /**
   * Whether a client has to show a certificate, which is not possible without TLS; absent if it
   * need not.
   */
  readonly wantsCertificate?: true;
  /** Named groups of the path that its snippet uses. */
  readonly groups?: readonly NamedGroup[];
  /** Whether X-Accel-Redirect in answers is ignored. */
  readonly ignoresAccelRedirect?: true;
  /** The traits of a route of a Gateway; absent for other sources. */
  readonly route?: RouteTraits;
  /** TLS towards its backend, in place of the annotations. */
  readonly tls?: BackendTls;
}

/** How a tenant's values are written. */
export type Writing = Pick<Place, "bind" | "captured" | "errorBackend">;

/** Where a location sends its requests. */
export interface Target {
  /** Whether the router has set variables with its findings. */
  readonly dynamic: boolean;
  /** Whether it has no endpoints, in static mode, where the text depends on that. */
  readonly unserved: boolean;
  /** Names of the upstream blocks for plain HTTP to which it may send requests. */
  readonly blocks: readonly string[];
  /**
   * The blocks that are used instead if its requests have timeouts of their own; absent if the
   * text sets timeouts.
   */
  readonly timedBlocks?: readonly string[];
  /** Returns the name of one of the blocks, if there are several. */
  readonly chosen?: Token;
  /** Headers of its answers beside those of its features. */
  readonly answerHeaders?: readonly AnswerHeader[];
  /** The pattern and target of a rewrite; false if there is none, or the router rewrites. */
  readonly rewrite: View;
}

export class LocationTexts {
  readonly #template: Template;
  readonly #root: string;
  readonly #sockets: string;
  readonly #names: InternalNames;
  readonly #about: AboutLocations;
  readonly #resolver: Token;
  /** Names of headers that backends get or that the operator's texts read, in lower case. */
  readonly #used: ReadonlySet<string>;

  /** `behind` says whether requests may arrive through the stream module. */
  constructor(template: Template, settings: Settings, machine: Machine, behind = machine.passthrough) {
    const { capabilities, paths, ports, nameKey } = machine;
    const { addHeaders, proxySetHeaders } = settings.followed;
    this.#template = template;
    this.#root = paths.root;
    this.#sockets = paths.sockets;
    this.#names = new InternalNames(nameKey);
    this.#resolver = checkedResolver(settings, machine, ports.nameCheck);
    this.#about = {
      settings,
      requestHeaders: requestHeaders(settings, machine, behind),
      headersNameGroups: [...proxySetHeaders, ...addHeaders].some(({ value }) => namesGroups(value)),
      everywhere: inEveryLocation(settings, capabilities, machine, behind),
    };
    this.#used = usedHeaders(this.#about);
  }

  of(values: FeatureValues, traits: LocationTraits, writing: Writing, target: Target): LocationText {
    const { dynamic, unserved, rewrite, chosen, answerHeaders = [], timedBlocks = target.blocks } = target;
    const { hostLines = [], groups = [], wantsCertificate = false } = traits;
    const { http, server } = this.#about.everywhere.headerLines;
    const beside: BesideLocation[] = [];
    const files: RenderedFile[] = [];
    const needs = new Set<HttpPart>();
    const inHttp = new Map<string, Token>();
    const { poolsOf = "" } = traits;
    const apart: string[] = poolsOf === "" ? [] : [poolsOf];
    let timed = false;
    let grouped = this.#about.headersNameGroups;
    const isLive = dynamic && ownTextOf(values, "location") === "" && !needsPath(values);
    const place: Place = {
      ...filesOf(this.#root, files),
      ...writing,
      protocol: protocolOf(traits.scheme),
      dynamic,
      ofGateway: traits.route !== undefined,
      streams: values.requestBody.buffering === "off",
      live: isLive,
      setsHeaders: isLive && traits.route === undefined && !holds("readsHeadersLate", values, "location"),
      usesHeader: (name) => this.#used.has(name.toLowerCase()),
      identifies: holds("identifies", values, "location"),
      resolver: this.#resolver,
      owned: traits.owned,
      authenticates: traits.authenticates,
      forgottenBeside: forgottenLines({ http, server: [...server, ...hostLines], location: [] }, "add_header"),
      signinHeaders: () => signinHeaders(values, place),
      setAround:
        this.#about.everywhere.can.headersMore &&
        areSetAround(["access-control-"], [...http, ...server, ...hostLines], this.#about.settings),
      poolsOf,
      zonesOf: traits.zonesOf ?? "",
      ...snippetNames(values, this.#about.settings),
      needsGroups: () => {
        grouped = true;
      },
      timed: () => {
        timed = true;
      },
      needs: (part) => needs.add(part),
      inHttp: (text) => inHttp.set(String(text), text),
      pooledApart: (by) => apart.push(by),
      beside: (kind, location) => this.#beside(kind, location, beside),
      behindSocket: ({ partial, view }) => {
        const write = (more: object) => this.#inspected(this.#template.render(partial, { ...view, ...more }));
        const { block, socket, text } = behindSocket(write, this.#sockets, this.#names);
        inHttp.set(String(text), text);
        return { block, socket };
      },
    };
    const seen = locationView({ ...traits, values, answerHeaders }, place, this.#about);
    const view = traits.tls === undefined ? seen : { ...seen, proxySsl: pooledView(ofPolicy(traits.tls), place) };
    const apartBy = apart.length === 0 ? "" : shortHash(apart.join("\0"));
    const { pass, blocks } = poolOf(traits.scheme, timed ? timedBlocks : target.blocks, apartBy, chosen);
    const isWithoutText = ownTextOf(values, "location") === "" && this.#about.settings.locationSnippet === "";
    const spells = traits.route?.spells === true && place.protocol === "http" && isWithoutText;
    const late = rewritesLate(values) && traits.keepsUri !== true;
    const where = {
      dynamic,
      unserved,
      rewrite,
      decodedGroups: !dynamic && (grouped || asksForGroups(values, rewrite)),
      rewritesLate: late && {
        matched: lateMatch(traits.matchedAgain),
        again: rewritesAgain(values),
      },
      wantsCertificate: wantsCertificate && { unless: unlessRedirected(values, traits, place) },
      groups: groups.map(([name, number]) => ({ name: Token.name(name), value: Token.variable(String(number)) })),
      elsewhere: redirectsAway(values),
      // An empty variable leaves the path to nginx.
      pass: spells ? Token.conf`${pass}${Token.variable("route_target")}` : pass,
      chosen: chosen !== undefined || spells,
      ignoresAccelRedirect: traits.ignoresAccelRedirect === true && ignoreHeaders[place.protocol],
    };
    const text = this.#template.render("location", { ...view, ...where });
    return { text, beside, files, needs, http: [...inHttp.values()], pools: blocks };
  }

  /** Turns ModSecurity off in a location for subrequests of Sluice itself. */
  #inspected(text: Token): Token {
    return this.#about.everywhere.inspected
      ? Token.conf`modsecurity off;
${text}`
      : text;
  }

  /** Adds the location to `all` unless it is there already, and returns its URI or name. */
  #beside(kind: "uri" | "named", { partial, view }: InternalLocation, all: BesideLocation[]): Token {
    const text = this.#inspected(this.#template.render(partial, view));
    const id = this.#names.of(`${text}\0`);
    const target = Token.name(kind === "uri" ? `/_sluice/${id}` : `@${id}`);
    const match = kind === "uri" ? Token.conf`= ${target}` : target;
    if (!all.some((one) => String(one.match) === String(match))) all.push({ match, text });
    return target;
  }
}

const ignoreHeaders = {
  http: Token.name("proxy_ignore_headers"),
  grpc: Token.name("grpc_ignore_headers"),
  fastcgi: Token.name("fastcgi_ignore_headers"),
};

/**
 * Whether X-Forwarded-Prefix needs groups of the path. It is sent only if the path is rewritten,
 * and its value may name groups by number or by name.
 */
function asksForGroups({ backendRequest }: FeatureValues, rewrite: View): boolean {
  return rewrite !== false && backendRequest.prefix.includes("$");
}

/** Returns a variable that is not empty if the request has TLS or is redirected to https. */
function unlessRedirected({ sslRedirect }: FeatureValues, { redirectsToHttps }: LocationTraits, place: Place): Token {
  const https = Token.variable("https");
  if (!redirectsToHttps || (!sslRedirect.always && !sslRedirect.whenConfigured)) return https;
  if (!sslRedirect.always) return Token.conf`${https}${Token.variable("ssl_redirect")}`;
  place.inHttp(Token.conf`map $pass_access_scheme $always_redirected { default ""; http 1; }`);
  return Token.conf`${https}${Token.variable("always_redirected")}`;
}

function lateMatch(path: string | undefined): Token {
  return path === undefined ? Token.conf`^` : Token.boundedAtBeginning(path, stepsAlone(path), true);
}

/** Returns the traits of a Location. `host` has the settings of the host as a whole. */
export function traitsOf(
  location: Location<FeatureValues>,
  host: FeatureValues,
  { noTlsRedirectLocations, noAuthLocations }: Settings,
): LocationTraits {
  const { path, closed, timed, owner, features, rewritesAt } = location;
  const denied = closed !== undefined;
  const owned = owner !== undefined;
  const isAsked = !isWithin(path, noAuthLocations);
  const traits: { -readonly [K in keyof LocationTraits]: LocationTraits[K] } = {
    denied,
    redirectsToHttps: !isWithin(path, noTlsRedirectLocations),
    owned,
    authenticates: owned && isAsked,
    scheme: backendOf(location).upstream === defaultUpstream ? "HTTP" : features.backendProtocol.scheme,
    timed,
    standsIn: false,
  };
  const hostLines = headerLinesOf(host, "host");
  if (hostLines.length > 0) traits.hostLines = hostLines;
  const hostFrames = holds("framesRequests", host, "host");
  if (hostFrames || holds("framesRequests", features, "location"))
    traits.poolsOf = `${owner?.namespace ?? ""}\0${hostFrames ? ownTextOf(host, "host") : ""}`;
  if (rewritesAt !== undefined) traits.matchedAgain = rewritesAt;
  else if (usesGroups(features) && rewritesLate(features)) traits.matchedAgain = path;
  if (location.keepsUri === true) traits.keepsUri = true;
  if (location.ignoresAccelRedirect === true) traits.ignoresAccelRedirect = true;
  const groups = denied ? noGroups : namedGroups(location);
  if (groups.length > 0) traits.groups = groups;
  if (isAsked && demandsCertificate(host)) traits.wantsCertificate = true;
  return traits;
}

const isWithin = (path: string, prefixes: readonly string[]) => prefixes.some((prefix) => path.startsWith(prefix));

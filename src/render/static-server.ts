/** One host's server blocks as text: each route a location, each Location's body what a shape would be (static mode). */

import { certificateWord } from "../annotations/client-certificate.ts";
import type { FeatureValues } from "../annotations/registry.ts";
import { targetVariables } from "../annotations/rewrite.ts";
import { isBackendVariable, isRequestVariable } from "../annotations/variables.ts";
import {
  type AffinityCookie,
  type Alias,
  type Canary,
  catchAll,
  defaultUpstream,
  type Location,
  type Route,
  type Server,
} from "../model/configuration.ts";
import type { Settings } from "../settings/registry.ts";
import { bindingOf } from "./balance-record.ts";
import { configuredName, isPattern } from "./configured-names.ts";
import { keptBy } from "./kept-by.ts";
import { type BesideLocation, type LocationTexts, type Target, traitsOf, type Writing } from "./location-text.ts";
import type { HttpPart } from "./place.ts";
import { poolOf } from "./pools.ts";
import { escapedPath } from "./records.ts";
import type { RenderedFile } from "./rendered-files.ts";
import { type AboutServers, certificateAt, defaultPairFile, headOf } from "./server-views.ts";
import { speaksHttp3 } from "./settings/http3.ts";
import { affinityCookie } from "./static-affinity.ts";
import { choiceOf, type StaticCanary } from "./static-canaries.ts";
import type { Template } from "./template.ts";
import { aliasNameOf, plainServerView, serverNameOf, textServerOf } from "./text-servers.ts";
import { Token, type View } from "./token.ts";
import { staticBlock } from "./upstream-views.ts";

export interface ServerText {
  /** More than one where aliases have another certificate. */
  readonly texts: readonly Token[];
  readonly files: readonly RenderedFile[];
  readonly needs: ReadonlySet<HttpPart>;
  readonly http: readonly Token[];
  /** Id of the Upstream behind each upstream block that its locations send to. */
  readonly pools: ReadonlyMap<string, string>;
}

export interface StaticParts {
  readonly about: AboutServers;
  readonly texts: LocationTexts;
  readonly template: Template;
  isServed(upstream: string): boolean;
  labelOf(upstream: string): string;
  /** The cookie that binds clients to its endpoints. */
  cookieOf(upstream: string): AffinityCookie | undefined;
  /** Answers for names that only a pattern takes; undefined where TLS is configured for no wildcard. */
  readonly configuredNames: Token | undefined;
  /** Where a Certificate's files are, without ending; `default` for hosts without one. */
  certificateFile(id: string | undefined): string;
  /** Where its OCSP answer is, below the run folder. */
  stapleFile(id: string | undefined): string | undefined;
}

/** What the locations of a host ask for beside their text. */
interface Gathered {
  readonly beside: BesideLocation[];
  readonly files: RenderedFile[];
  readonly needs: Set<HttpPart>;
  readonly http: Token[];
  /** Id of the Upstream behind each upstream block. */
  readonly pools: Map<string, string>;
}

export function staticServers(server: Server<FeatureValues>, parts: StaticParts): ServerText {
  const { about, template } = parts;
  const files: RenderedFile[] = [];
  const beside: BesideLocation[] = [];
  const { view: features, files: featureFiles } =
    server.name === catchAll
      ? { view: plainServerView, files: [] }
      : textServerOf(server, about.settings, about.machine.paths.root);
  files.push(...featureFiles);
  const isPlain = Object.values(features).every((view) => view === false);
  const gathered: Gathered = { beside, files, needs: new Set(), http: [], pools: new Map() };
  const http3 = speaksHttp3(about.settings, about.machine.capabilities);
  const texts = namesByCertificate(server, parts).map((names) => {
    const tls = names[0]!;
    const locations = locationViews(server, tls, parts, gathered);
    const takesUnknownNames = tls.name === catchAll;
    return template.render("static-server", {
      ...headOf(about, takesUnknownNames),
      dynamic: false,
      rejectsUnknownNames:
        about.settings.sslRejectHandshake && takesUnknownNames && about.machine.capabilities.rejectHandshake,
      names: Token.words(names.map((one) => nameOf(server, one.name))),
      certificate: certificateView(tls, parts, takesUnknownNames || !isPlain),
      features,
      catchAll: server.name === catchAll && { healthPath: Token.word(about.machine.healthPath) },
      appRoot: server.appRoot !== undefined && appRootUrl(server.appRoot, http3),
      slashes: server.routes.flatMap((route) => slashView(route, server, about.settings)),
      locations,
      beside: beside.map(({ match, text }) => ({ match, text })),
    });
  });
  if (server.redirectFrom !== undefined) texts.push(twinText(server.name, server.redirectFrom, parts));
  return { texts, files, needs: gathered.needs, http: gathered.http, pools: gathered.pools };
}

/**
 * The certificate of a server block; false where the default one's TLS serves it as well: nginx reads certificate and key again
 * for each block that names them, 2 ms each. `ownTls`: whether the block says something of TLS itself, or is the default one. Where
 * the default one refuses handshakes, nginx asks all others for a certificate.
 */
function certificateView({ certificate }: Alias, { about, certificateFile, stapleFile }: StaticParts, ownTls: boolean) {
  const file = certificateFile(certificate);
  const refuses = about.settings.sslRejectHandshake && about.machine.capabilities.rejectHandshake;
  return (ownTls || refuses || file !== defaultPairFile) && certificateAt(about.machine, file, stapleFile(certificate));
}

function nameOf({ name: host }: Server<FeatureValues>, name: string): Token {
  if (name === catchAll) return Token.name(catchAll);
  return name === host ? serverNameOf(name) : aliasNameOf(name);
}

/** A server block has one certificate and one answer on TLS, so names that differ in these get a block of their own. */
function namesByCertificate(
  { name, aliases, certificate, tlsConfigured }: Server<FeatureValues>,
  { configuredNames }: StaticParts,
): Alias[][] {
  const names = [{ name, certificate, tlsConfigured }, ...aliases];
  const answer = (one: Alias) => (configuredNames !== undefined && isPattern(one, name) ? "asked" : one.tlsConfigured);
  return [...Map.groupBy(names, (one) => `${one.certificate} ${answer(one)}`).values()];
}

/** Where HTTP/3 is spoken, `$http_host` may be empty here: `http3-host.tmpl` has another name for it. */
function appRootUrl(path: string, http3: boolean): Token {
  const host = http3 ? "asked_host" : "http_host";
  return Token.rewriteTarget(`$scheme://$${host}${path}`, (name) => name === host || isRequestVariable(name));
}

/** The other of `www.host` and `host`. */
function twinText(host: string, twin: Alias, parts: StaticParts): Token {
  const { about, template } = parts;
  return template.render("www-server", {
    ...headOf(about, false),
    dynamic: false,
    rejectsUnknownNames: false,
    names: Token.word(twin.name),
    certificate: certificateView(twin, parts, false),
    features: plainServerView,
    host: Token.name(host),
  });
}

/** The redirect to the path with a slash says scheme, host and port as the Location there does, and takes bodies as large. */
function slashView(route: Route, { locations }: Server<FeatureValues>, settings: Settings): View[] {
  if (route.match !== "slash") return [];
  const { redirects, sslRedirect, requestBody } = locations[route.location]!.features;
  const target = `${escapedPath(route.path).replaceAll("$", "%24")}/$is_args$args`;
  return [
    {
      path: Token.word(route.path),
      target: Token.variables(target, (name) => name === "is_args" || name === "args"),
      most: requestBody.most !== settings.proxyBodySize && Token.size(requestBody.most),
      relative: redirects.relative && !settings.relativeRedirects,
      port: sslRedirect.port && !settings.usePortInRedirects,
    },
  ];
}

function locationViews(
  server: Server<FeatureValues>,
  tls: Alias,
  parts: StaticParts,
  { beside, files, needs, http, pools }: Gathered,
): View[] {
  const { locations, routes, appRoot } = server;
  const asked = routes.filter((route) => appRoot === undefined || route.match !== "exact" || route.path !== "/");
  return blocksOf(asked, locations).map(({ match, location, rewrite }) => {
    const body = bodyOf(locations[location]!, rewrite, parts);
    files.push(...body.files);
    for (const part of body.needs) needs.add(part);
    http.push(...body.http);
    for (const [pool, upstream] of body.pools) pools.set(pool, upstream);
    for (const one of body.beside)
      if (!beside.some(({ match }) => String(match) === String(one.match))) beside.push(one);
    const labels = [...labelsOf(server, location, tls, parts), ...body.labels];
    return { match, labels, text: body.text };
  });
}

interface Block {
  readonly match: Token;
  readonly location: number;
  readonly rewrite: View;
}

/**
 * One location for each Location: Prefix `/foo`, which is an exact and a prefix route, is one regular expression, and the
 * longest come first, since nginx takes the first that matches.
 */
function blocksOf(routes: readonly Route[], locations: readonly Location<FeatureValues>[]): Block[] {
  const blocks: Block[] = [];
  const exact = new Map(routes.flatMap((route) => (route.match === "exact" ? [[route.path, route.location]] : [])));
  for (const route of routes) {
    if (route.match === "slash") continue;
    const { location } = route;
    if (route.match === "regex") {
      const pattern = Token.pattern(`^${route.path}`);
      const rewrite =
        route.rewrite === undefined
          ? false
          : {
              pattern: Token.pattern(`(?i)${route.path}`),
              target: Token.rewriteTarget(route.rewrite, targetVariables(route.rewrite)),
              told: /\$[1-9]/.test(locations[location]!.features.backendRequest.prefix),
            };
      blocks.push({ match: Token.conf`~* ${pattern}`, location, rewrite });
    } else if (route.match === "prefix") {
      blocks.push({
        match: prefixMatch(route.path, exact.get(route.path.slice(0, -1)) === location),
        location,
        rewrite: false,
      });
    } else {
      const below = routes.some(
        (one) => one.match === "prefix" && one.path === `${route.path}/` && one.location === location,
      );
      if (!below) blocks.push({ match: Token.conf`= ${Token.word(route.path)}`, location, rewrite: false });
    }
  }
  return blocks;
}

function prefixMatch(path: string, withItself: boolean): Token {
  if (path === "/") return Token.word("/");
  const text = escapeRegex(path.slice(0, -1));
  return Token.conf`~ ${Token.pattern(withItself ? `^${text}(?:/|\\z)` : `^${text}/`)}`;
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function bodyOf(location: Location<FeatureValues>, rewrite: View, parts: StaticParts) {
  const { about, texts, isServed, labelOf, cookieOf } = parts;
  const own = isServed(location.upstream);
  const standIn = location.standIn !== undefined && isServed(location.standIn) ? location.standIn : undefined;
  const standsIn = !own && standIn !== undefined;
  const upstream = standsIn ? standIn : location.upstream;
  const block = staticBlock(upstream);
  const canaries = standsIn ? [] : location.canaries.filter(({ upstream }) => isServed(upstream));
  const cookie = cookieOf(upstream);
  const mainCookie = cookie && { name: cookie.name, binding: bindingOf(labelOf(upstream)) };
  const choice = canaries.length === 0 ? undefined : choiceOf(block, canaries.map(staticCanary), mainCookie);
  // only a Location whose own Ingress asks for affinity issues the cookie (RS-14.3)
  const issues = cookie !== undefined && location.features.sessionAffinity.type === "cookie";
  const by = choice === undefined ? {} : { binding: choice.binding };
  const issued = issues ? affinityCookie({ cookie, label: labelOf(upstream), path: location.path, ...by }) : undefined;
  const target: Target = {
    dynamic: false,
    unserved: !own && !standsIn,
    rewrite,
    blocks: [block, ...canaries.map((canary) => staticBlock(canary.upstream))],
    ...(choice === undefined ? {} : { chosen: choice.block }),
    answerHeaders:
      issued === undefined
        ? []
        : [{ name: Token.name("Set-Cookie"), value: issued.value, always: true, replaces: false }],
  };
  const asked = new Map<string, string>();
  const writing: Writing = {
    bind: (_name, raw) => Token.text(raw),
    captured: (raw) =>
      rewrite !== false ? Token.rewriteTarget(raw, isBackendVariable) : Token.variable("http_x_forwarded_prefix"),
    errorBackend: (ofIngress) => {
      const id = (ofIngress ? standIn : undefined) ?? defaultUpstream;
      asked.set(staticBlock(id), id);
      return {
        pass: poolOf("HTTP", [staticBlock(id)], "").pass,
        sets: [["proxy_upstream_name", Token.text(labelOf(id))]],
      };
    },
  };
  const traits = { ...traitsOf(location, about.settings), standsIn };
  const text = texts.of(location.features, traits, writing, target);
  const ids = [upstream, ...canaries.map((canary) => canary.upstream)];
  const each = text.pools.length / ids.length;
  return {
    ...text,
    http: [...text.http, ...(choice?.http ?? []), ...(issued?.http ?? [])],
    pools: new Map([...asked, ...text.pools.map((pool, at) => [pool, ids[Math.floor(at / each)]!] as const)]),
    labels: choice === undefined ? [] : [{ name: Token.name("proxy_alternative_upstream_name"), value: choice.label }],
  };

  function staticCanary({ upstream: id, policy }: Canary): StaticCanary {
    const binding = cookieOf(id) === undefined ? undefined : bindingOf(labelOf(id));
    return { policy, block: staticBlock(id), label: labelOf(id), binding };
  }
}

function labelsOf(
  server: Server<FeatureValues>,
  index: number,
  tls: Alias,
  { labelOf, configuredNames }: StaticParts,
): View[] {
  const location = server.locations[index]!;
  const labels = {
    proxy_upstream_name: labelOf(location.upstream),
    namespace: location.ingress.namespace,
    ingress_name: location.ingress.name,
    service_name: location.service,
    service_port: location.servicePort,
    location_path: location.path,
    route_certificate: certificateWord(server.features.clientCertificate),
    route_kept: keptBy(server, index),
  };
  const asked = configuredNames !== undefined && isPattern(tls, server.name);
  const configured = asked ? configuredName : Token.text(tls.tlsConfigured ? "1" : "");
  return [
    ...Object.entries(labels).flatMap(([name, value]) => (value === "" ? [] : [{ name, value: Token.text(value) }])),
    ...(asked || tls.tlsConfigured ? [{ name: "route_tls", value: configured }] : []),
  ].map(({ name, value }) => ({ name: Token.name(name), value }));
}

/**
 * Renders one host's server blocks as text: each route is a location with the text of a shape
 * (static mode).
 */

import { isRequestVariable } from "../../kinds/request-variables.ts";
import { type Alias, catchAll, type Route, type Server } from "../../model/configuration.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { ownHost } from "../../settings/own-host.ts";
import type { Settings } from "../../settings/registry.ts";
import { comeBack } from "../../tokens/hops.ts";
import { escapedPath } from "../../tokens/path-words.ts";
import type { HttpPart } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";
import { certificateAt, defaultPairFile, headOf } from "../conf/server-views.ts";
import { hostBlock, locationBlock } from "../conf/source-map.ts";
import { plainServerView, textServerOf, twinServerOf, writtenName } from "../conf/text-servers.ts";
import { ifRead } from "../conf/unread-variables.ts";
import { blocksOf } from "../location/blocks.ts";
import { hopOf } from "../location/hops.ts";
import type { BesideLocation } from "../location/text.ts";
import type { RenderedFile } from "../rendered-files.ts";
import { servesHttp3 } from "../settings/http3.ts";
import { isPattern } from "./configured-names.ts";
import { bodyOf, groupsOf, labelsOf } from "./location.ts";
import type { StaticParts } from "./parts.ts";

export interface ServerText {
  /** There are several if aliases have another certificate. */
  readonly texts: readonly Token[];
  readonly files: readonly RenderedFile[];
  readonly needs: ReadonlySet<HttpPart>;
  readonly http: readonly Token[];
  /** The id of the Upstream behind each upstream block that its locations use. */
  readonly pools: ReadonlyMap<string, string>;
}

/** Everything that a host's locations need beside their text. */
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
  const http3 = servesHttp3(about.settings, about.machine.capabilities);
  const texts = namesByCertificate(server, parts).map((names) => {
    const tls = names[0]!;
    const locations = locationViews(server, tls, parts, gathered);
    const takesUnknownNames = tls.name === catchAll;
    return template.render("static-server", {
      ...headOf(
        about,
        takesUnknownNames,
        names.map(({ name }) => name),
      ),
      dynamic: false,
      rejectsUnknownNames:
        about.settings.sslRejectHandshake && takesUnknownNames && about.machine.capabilities.rejectHandshake,
      names: hostBlock(Token.words(names.map((one) => writtenName(server, one.name))), server.name),
      certificate: certificateView(tls, parts, takesUnknownNames || !isPlain),
      features,
      entry: ifRead("s_entry"),
      catchAll: server.name === catchAll && { healthPath: Token.word(about.machine.healthPath) },
      appRoot: server.appRoot !== undefined && appRootUrl(server.appRoot, http3, about.settings),
      slashes: server.routes.flatMap((route) => slashView(route, server, about.settings)),
      locations,
      beside: beside.map(({ match, text }) => ({ match, text })),
    });
  });
  if (server.redirectFrom !== undefined) {
    const twin = twinServerOf(server);
    files.push(...(twin?.files ?? []));
    texts.push(twinText(server, server.redirectFrom, twin?.view ?? plainServerView, parts));
  }
  return { texts, files, needs: gathered.needs, http: gathered.http, pools: gathered.pools };
}

/**
 * Returns the certificate of a server block. It is false if the TLS settings of the default
 * server suffice, because nginx reads certificate and key again for each block that names them,
 * which takes 2 ms. `ownTls` says whether the block has TLS settings of its own, or is the default
 * one. If the default server refuses handshakes, nginx requires a certificate in all others.
 */
function certificateView({ certificate }: Alias, { about, certificateFile, stapleFile }: StaticParts, ownTls: boolean) {
  const file = certificateFile(certificate);
  const refuses = about.settings.sslRejectHandshake && about.machine.capabilities.rejectHandshake;
  return (ownTls || refuses || file !== defaultPairFile) && certificateAt(about.machine, file, stapleFile(certificate));
}

/**
 * Groups a host's names by certificate and by whether TLS is configured, because a server block has
 * one of each.
 */
function namesByCertificate(
  { name, aliases, certificate, tlsConfigured }: Server<FeatureValues>,
  { configuredNames }: StaticParts,
): Alias[][] {
  const names = [{ name, certificate, tlsConfigured }, ...aliases];
  const answer = (one: Alias) => (configuredNames !== undefined && isPattern(one, name) ? "asked" : one.tlsConfigured);
  return [...Map.groupBy(names, (one) => `${one.certificate} ${answer(one)}`).values()];
}

/**
 * Returns the URL. With HTTP/3, reading `$http_host` here would leave it empty permanently, so
 * `http3-host.tmpl` has another variable for it.
 */
function appRootUrl(path: string, http3: boolean, settings: Settings): Token {
  const host = http3 ? "asked_host" : ownHost(settings);
  return Token.rewriteTarget(`$scheme://$${host}${path}`, (name) => name === host || isRequestVariable(name));
}

/** Returns the text of the host's www twin. */
function twinText(server: Server<FeatureValues>, twin: Alias, features: View, parts: StaticParts): Token {
  const { about, template } = parts;
  return template.render("www-server", {
    ...headOf(about, false, [twin.name]),
    dynamic: false,
    rejectsUnknownNames: false,
    names: hostBlock(Token.word(twin.name), server.name),
    certificate: certificateView(twin, parts, false),
    features,
    host: Token.name(server.name),
  });
}

/**
 * Returns the redirect to the path with a slash. It uses scheme, host and port like the Location of
 * that path, and accepts bodies of the same size.
 */
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
  const { routes, appRoot } = server;
  const ordinary = routes.filter((route) => appRoot === undefined || route.match !== "exact" || route.path !== "/");
  return blocksOf({ ...server, routes: ordinary }).map(({ match, location, rewrite, pattern = false }) => {
    const body = bodyOf(server, location, rewrite, parts);
    files.push(...body.files);
    for (const part of body.needs) needs.add(part);
    http.push(...body.http);
    for (const [pool, upstream] of body.pools) pools.set(pool, upstream);
    for (const one of body.beside)
      if (!beside.some(({ match }) => String(match) === String(one.match))) beside.push(one);
    const labels = [...groupsOf(server, pattern), ...labelsOf(server, location, tls, parts), ...body.labels];
    const hop = hopOf(server, location);
    return {
      match: locationBlock(match, location),
      labels,
      comeBack: hop !== "" && comeBack(hop),
      text: body.text,
    };
  });
}

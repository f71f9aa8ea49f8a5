/**
 * The body of a host's own location (static mode): the text of a Shape with its Service, canaries
 * and cookie.
 */

import { isBackendVariable } from "../../kinds/request-variables.ts";
import { groupVariables } from "../../kinds/variables.ts";
import { type Alias, type Canary, defaultUpstream, type Server } from "../../model/configuration.ts";
import { backendOf, closedReason } from "../../model/location.ts";
import { certificateWord } from "../../policies/client-certificate.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { issuesCookie } from "../../policies/sessions/declaration.ts";
import { numbered } from "../../tokens/pattern-groups.ts";
import { poolOf } from "../../tokens/pools.ts";
import { Token, type View } from "../../tokens/token.ts";
import { ifRead } from "../conf/unread-variables.ts";
import { staticBlock } from "../conf/upstream-views.ts";
import { bindingOf } from "../location/balance-record.ts";
import { hopOf } from "../location/hops.ts";
import { keptBy } from "../location/kept-by.ts";
import { type Target, traitsOf, type Writing } from "../location/text.ts";
import { affinityCookie } from "./affinity.ts";
import { choiceOf, type StaticCanary } from "./canaries.ts";
import { configuredName, isPattern } from "./configured-names.ts";
import type { StaticParts } from "./parts.ts";

/**
 * Returns the body, with the parts of the http block that it needs. `pools` has the id of the
 * Upstream behind each upstream block, and `labels` the lines beside those of `labelsOf`.
 */
export function bodyOf(server: Server<FeatureValues>, index: number, rewrite: View, parts: StaticParts) {
  const location = server.locations[index]!;
  const { about, texts, isServed, labelOf, cookieOf } = parts;
  const main = backendOf(location).upstream;
  const own = isServed(main);
  const standIn = location.standIn !== undefined && isServed(location.standIn) ? location.standIn : undefined;
  const standsIn = !own && standIn !== undefined;
  const upstream = standsIn ? standIn : main;
  const block = staticBlock(upstream);
  const canaries = standsIn ? [] : location.canaries.filter(({ upstream }) => isServed(upstream));
  const cookie = cookieOf(upstream);
  const mainCookie = cookie && { name: cookie.name, binding: bindingOf(labelOf(upstream)) };
  const choice = canaries.length === 0 ? undefined : choiceOf(block, canaries.map(staticCanary), mainCookie);
  // Only a Location whose own owner sets affinity sets the cookie (RS-14.3).
  const issues = cookie !== undefined && issuesCookie(location.features);
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
    // The groups are set before another pattern is matched, because nginx keeps only the groups of
    // the last match.
    captured: () => Token.variable(rewrite !== false ? "route_prefix" : "http_x_forwarded_prefix"),
    errorBackend: (ofIngress) => {
      const id = (ofIngress ? standIn : undefined) ?? defaultUpstream;
      asked.set(staticBlock(id), id);
      return {
        pass: poolOf("HTTP", [staticBlock(id)], "").pass,
        sets: [["proxy_upstream_name", Token.text(labelOf(id))]],
      };
    },
  };
  const prefix = numbered(location.features.backendRequest.prefix, location.path);
  const traits = {
    ...traitsOf(location, server.features, about.settings),
    standsIn,
    zonesOf: location.owner?.namespace ?? "",
  };
  const text = texts.of(location.features, traits, writing, target);
  const ids = [upstream, ...canaries.map((canary) => canary.upstream)];
  const each = text.pools.length / ids.length;
  return {
    ...text,
    http: [...text.http, ...(choice?.http ?? []), ...(issued?.http ?? [])],
    pools: new Map([...asked, ...text.pools.map((pool, at) => [pool, ids[Math.floor(at / each)]!] as const)]),
    labels: [
      ...(rewrite === false || prefix === ""
        ? []
        : [{ name: ifRead("route_prefix"), value: Token.rewriteTarget(prefix, isBackendVariable) }]),
      ...(choice === undefined ? [] : [{ name: Token.name("proxy_alternative_upstream_name"), value: choice.label }]),
    ],
  };

  function staticCanary({ upstream: id, policy }: Canary): StaticCanary {
    const binding = cookieOf(id) === undefined ? undefined : bindingOf(labelOf(id));
    return { policy, block: staticBlock(id), label: labelOf(id), binding };
  }
}

/**
 * Returns lines that keep the groups of the path, which nginx overwrites at the next pattern. If
 * the host is a wildcard and the path is not a pattern, they keep the wildcard's label.
 */
export function groupsOf({ name }: Server<FeatureValues>, isPattern: boolean): View[] {
  const values = isPattern
    ? groupVariables.map((_, at) => Token.variable(String(at + 1)))
    : name.startsWith("*.")
      ? [Token.variable("subdomain")]
      : [];
  return values.map((value, at) => ({ name: ifRead(groupVariables[at]!), value }));
}

/** Returns the names for logs, metrics and snippets. */
export function labelsOf(
  server: Server<FeatureValues>,
  index: number,
  tls: Alias,
  { labelOf, configuredNames }: StaticParts,
): View[] {
  const location = server.locations[index]!;
  const backend = backendOf(location);
  const labels = {
    proxy_upstream_name: labelOf(backend.upstream),
    namespace: location.owner?.namespace ?? "",
    ingress_name: location.owner?.name ?? "",
    service_name: backend.service,
    service_port: backend.port,
    location_path: location.path,
    closed_reason: closedReason(location),
    route_certificate: certificateWord(server.features),
    route_kept: keptBy(server, index),
    route_hop: hopOf(server, index),
  };
  const asked = configuredNames !== undefined && isPattern(tls, server.name);
  const own = location.ownTls === true;
  const configured = asked && !own ? configuredName : Token.text(tls.tlsConfigured || own ? "1" : "");
  return [
    ...Object.entries(labels).flatMap(([name, value]) => (value === "" ? [] : [{ name, value: Token.text(value) }])),
    ...(asked || own || tls.tlsConfigured ? [{ name: "route_tls", value: configured }] : []),
  ].map(({ name, value }) => ({ name: ifRead(name), value }));
}

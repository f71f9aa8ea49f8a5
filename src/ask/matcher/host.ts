/**
 * Finds the Server of a host at the Ingress ports, as nginx/lua/sluice/route/match.lua and
 * patterns.lua do: an exact name or alias, the longest alias with a wildcard, a pattern, the host
 * with a wildcard one label above, and the catch-all.
 */

import { formOf } from "../../core/kinds/server-names.ts";
import { type Configuration, catchAll, type Server } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { mostTooLong, type Pattern, patternOf } from "./pattern.ts";

export type Served = Configuration<Settings, FeatureValues>;

export interface FoundHost {
  readonly server: Server<FeatureValues>;
  /** The name, wildcard, alias or pattern that matched. */
  readonly by: string;
  readonly how: "name" | "alias" | "wildcard" | "twin" | "nothing else";
  /** Whether TLS is configured for this name; plain http is then redirected. */
  readonly tls: boolean;
  /** The certificate of the name that matched: an alias may have its own. */
  readonly certificate: string | undefined;
}

/** Further tables in which a host is looked up that is not the name of a Server. */
interface Others {
  /** The Server of hosts that no other Server takes. */
  readonly last: Server<FeatureValues>;
  readonly byName: ReadonlyMap<string, FoundHost>;
  /** Servers whose names begin with `*.`, by name. */
  readonly wildcards: ReadonlyMap<string, Server<FeatureValues>>;
  readonly patterns: readonly AliasPattern[];
}

interface AliasPattern {
  readonly server: Server<FeatureValues>;
  readonly alias: Server<FeatureValues>["aliases"][number];
  readonly form: ReturnType<typeof formOf>;
  /** Undefined for wildcards, and for patterns that only nginx can read. */
  readonly regex: Pattern | undefined;
}

const indices = new WeakMap<Served["servers"], Others>();

/**
 * Returns these tables. They are cached, because one Configuration may get questions about many
 * hosts.
 */
function othersOf(servers: Served["servers"]): Others {
  const known = indices.get(servers) ?? othersIn(servers);
  indices.set(servers, known);
  return known;
}

function othersIn(servers: Served["servers"]): Others {
  const all = [...servers.values()].filter(({ listener }) => listener === undefined);
  const named = all.flatMap((server) => otherNames(server).map((found) => [found.by, found] as const)).reverse();
  const patterns = all
    .flatMap((server) => server.aliases.map((alias) => patternIn(server, alias)))
    .filter(({ form }) => form !== "exact")
    .sort((a, b) => (a.server.name < b.server.name ? -1 : a.server.name > b.server.name ? 1 : 0));
  // An alias may have the name of the catch-all; its host is then the catch-all.
  const last = servers.get(catchAll) ?? all.find(({ aliases }) => aliases.some(({ name }) => name === catchAll));
  const wildcards = new Map(all.flatMap((server) => (server.name.startsWith("*.") ? [[server.name, server]] : [])));
  return { last: last!, byName: new Map(named), wildcards, patterns };
}

function patternIn(server: Server<FeatureValues>, alias: AliasPattern["alias"]): AliasPattern {
  const form = formOf(alias.name);
  return { server, alias, form, regex: form === "regex" ? patternOf(alias.name.slice(1)) : undefined };
}

function otherNames(server: Server<FeatureValues>): readonly FoundHost[] {
  const found = (how: FoundHost["how"], { name, tlsConfigured, certificate }: Named): FoundHost => {
    return { server, by: name, how, tls: tlsConfigured, certificate };
  };
  const aliases = server.aliases.map((alias) => found("alias", alias));
  return server.redirectFrom === undefined ? aliases : [...aliases, found("twin", server.redirectFrom)];
}

type Named = Pick<Server<FeatureValues>, "name" | "tlsConfigured" | "certificate">;

export function hostOf({ servers }: Pick<Served, "servers">, host: string): FoundHost {
  const found = exactly(servers.get(host), host);
  if (found !== undefined) return found;
  const others = othersOf(servers);
  return others.byName.get(host) ?? byOther(others, host) ?? lastOf(others.last);
}

function exactly(server: Server<FeatureValues> | undefined, host: string): FoundHost | undefined {
  // A client may send a wildcard's name as it is written, which is no host below the wildcard.
  if (server === undefined || host === catchAll || host.startsWith("*.")) return undefined;
  return { server, by: host, how: "name", tls: server.tlsConfigured, certificate: server.certificate };
}

function byOther({ wildcards, patterns }: Others, host: string): FoundHost | undefined {
  const above = /^[\w-]+(\..+)$/.exec(host)?.[1];
  const wildcard = wildcards.get(`*${above}`);
  return byPattern(patterns, host, wildcard) ?? (wildcard && ofWildcard(wildcard));
}

export const ofWildcard = (server: Server<FeatureValues>): FoundHost => {
  return { server, by: server.name, how: "wildcard", tls: server.tlsConfigured, certificate: server.certificate };
};

function byPattern(
  patterns: readonly AliasPattern[],
  host: string,
  wildcard: Server<FeatureValues> | undefined,
): FoundHost | undefined {
  const leading = patterns
    .filter(
      ({ form, alias }) => form === "leading" && host.endsWith(alias.name.slice(1)) && host !== alias.name.slice(2),
    )
    .sort((a, b) => b.alias.name.length - a.alias.name.length)[0];
  const trailing = patterns
    .filter(({ form, alias }) => form === "trailing" && host.startsWith(alias.name.slice(0, -1)))
    .sort((a, b) => b.alias.name.length - a.alias.name.length)[0];
  let tooLong = 0;
  const regex = patterns
    .filter(({ form, server }) => form === "regex" && !(wildcard && wildcard.name < server.name))
    .find((one) => {
      const pattern = tooLong < mostTooLong ? one.regex : undefined;
      const takes = pattern?.test(host);
      if (pattern !== undefined && takes === undefined) tooLong++;
      return takes === true;
    });
  const found = leading ?? trailing ?? regex;
  if (found === undefined) return undefined;
  const { server, alias } = found;
  const direct = found === leading && host.indexOf(".") === host.length - alias.name.slice(1).length;
  const tls = (direct && alias.tlsConfigured) || (wildcard?.tlsConfigured ?? false);
  return { server, by: alias.name, how: "alias", tls, certificate: alias.certificate };
}

function lastOf(server: Server<FeatureValues>): FoundHost {
  return { server, by: catchAll, how: "nothing else", tls: false, certificate: undefined };
}

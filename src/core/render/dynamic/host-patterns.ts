/**
 * Renders aliases that are not exact names. nginx tries exact names first, then the longest
 * wildcard at the front, then the longest at the end, then regular expressions in the order of
 * their hosts, which include hosts like `*.example.com` (RS-4.4). The router does the same with
 * this one record, which exists only if a host has such an alias.
 */

import { formOf } from "../../kinds/server-names.ts";
import { type Alias, catchAll, type Server } from "../../model/configuration.ts";
import type { Fields } from "../../model/records.ts";
import { groupsOf } from "../../tokens/pattern-groups.ts";

export interface HostPattern {
  readonly host: string;
  readonly alias: Alias;
}

/**
 * Returns the patterns of a separate `server` block that would take requests from the block of data
 * hosts.
 */
export function patternsOf({ name, aliases }: Pick<Server<unknown>, "name" | "aliases">): readonly HostPattern[] {
  return aliases.filter((alias) => formOf(alias.name) !== "exact").map((alias) => ({ host: name, alias }));
}

/** Returns undefined if there are none. */
export function patternsRecord(patterns: readonly HostPattern[]): string | undefined {
  if (patterns.length === 0) return undefined;
  const leading: Record<string, readonly [host: string, tls: number]> = {};
  const trailing: Record<string, string> = {};
  const regex: (readonly [pattern: string, host: string])[] = [];
  for (const { host, alias } of patterns.toSorted((a, b) => (a.host < b.host ? -1 : a.host > b.host ? 1 : 0))) {
    const { name, tlsConfigured } = alias;
    const form = formOf(name);
    if (form === "regex") regex.push([groupsOf(name.slice(1)).text, host]);
    else if (form === "trailing") trailing[name.slice(0, -1)] ??= host;
    else leading[name.slice(1)] ??= [host, tlsConfigured ? 1 : 0];
  }
  const record: Fields<"patterns"> = { leading, trailing, regex };
  return JSON.stringify(record);
}

/**
 * Whether one of the patterns would take the host, including wildcards of rules (`*.example.com` as
 * a host).
 */
export function isTaken(name: string, patterns: readonly Pattern[]): boolean {
  return patterns.some((pattern) => pattern.test(name));
}

export interface Pattern {
  /**
   * Whether it is an alias, which may overlap with any other pattern. Hosts with a wildcard never
   * do.
   */
  readonly alias: boolean;
  test(name: string): boolean;
}

const none: readonly Pattern[] = [];

/** Returns all patterns that the server block of a host would have. */
export function ownPatterns(server: Pick<Server<unknown>, "name" | "aliases">): readonly Pattern[] {
  if (server.aliases.length === 0 && !server.name.startsWith("*.")) return none;
  const wildcard = server.name.startsWith("*.") ? [oneLabelUnder(server.name.slice(1))] : [];
  return [...wildcard, ...patternsOf(server).map(({ alias }) => aliasPattern(alias.name))];
}

function oneLabelUnder(parent: string): Pattern {
  return { alias: false, test: (name) => name.indexOf(".") === name.length - parent.length && name.endsWith(parent) };
}

function aliasPattern(alias: string): Pattern {
  const form = formOf(alias);
  if (form === "leading") {
    return { alias: true, test: (name) => name.endsWith(alias.slice(1)) };
  }
  if (form === "trailing") return { alias: true, test: (name) => name.startsWith(alias.slice(0, -1)) };
  // A Perl pattern is not one of JavaScript, so any host may match.
  return { alias: true, test: (name) => name !== catchAll };
}

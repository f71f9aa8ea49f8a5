/**
 * A route's changes to requests and answers, in the form that Lua reads. Changes after the jump to
 * a shape are in one text, `steering`, which travels with the request. So a record that changes
 * meanwhile cannot mix two versions.
 */

import type { AuthService, CopyWay, Filters, Mirror, PathChange, UrlRewrite } from "../../model/filters.ts";
import type { Fields } from "../../model/records.ts";
import type { RouteTraits } from "../../model/route-traits.ts";
import { hostSetBy, policyRecord, policySteering, policyTraits } from "../../policies/filters.ts";

/**
 * Returns the changes of a rule, or of one of its backends. Returns undefined if there are none.
 */
export function filtersRecord(rule: Filters = {}, backend: Filters = {}): Fields<"filters"> | undefined {
  const { redirect } = rule;
  const rewrite = rewriteOf(rule, backend);
  const steering = steeringOf(rule, backend);
  const record: Fields<"filters"> = {
    ...(redirect === undefined ? {} : { redirect: { ...redirect, path: pathOf(redirect.path) } }),
    ...(rewrite === undefined ? {} : { rewrite }),
    ...policyRecord(rule),
    ...(rule.auth === undefined ? {} : { auth: questionRecord(rule.auth) }),
    ...(steering === undefined ? {} : { steering }),
  };
  return Object.keys(record).length === 0 ? undefined : record;
}

/** Returns the traits that the text of the Location needs for these changes. */
export function filterTraits(rule: Filters = {}, backend: Filters = {}): RouteTraits {
  const mirrors = mirrorsOf(rule, backend);
  const ways = waysOf(mirrors);
  return {
    ...policyTraits(rule, backend),
    ...(rule.redirect === undefined ? {} : { answers: true }),
    ...(steeringOf(rule, backend) === undefined ? {} : { steers: true }),
    ...(mirrors.length > 0 ? { copies: true } : {}),
    ...(isLate(mirrors) ? { copiesLate: true } : {}),
    ...(ways.length > 0 ? { ways } : {}),
    ...(rewriteOf(rule, backend)?.hostname === undefined ? {} : { names: true }),
    ...(rule.auth === undefined ? {} : { asks: asksOf(rule.auth) }),
  };
}

/**
 * Returns the rewrite of path and host. A change of the Host header changes the host towards the
 * backend.
 */
function rewriteOf(rule: Filters, backend: Filters): Fields<"rewrite"> | undefined {
  const rewrite: Partial<UrlRewrite> = { ...filled(rule.rewrite), ...filled(backend.rewrite) };
  const hostname = rewrite.hostname ?? hostSetBy(backend) ?? hostSetBy(rule);
  const record = {
    ...(hostname === undefined ? {} : { hostname }),
    ...(rewrite.path === undefined ? {} : { path: pathOf(rewrite.path) }),
  };
  return Object.keys(record).length === 0 ? undefined : record;
}

function filled(rewrite: UrlRewrite | undefined): Partial<UrlRewrite> {
  return Object.fromEntries(Object.entries(rewrite ?? {}).filter(([, value]) => value !== undefined));
}

/** Returns `[path]` to replace the whole path, and `[path, prefix]` to replace the prefix. */
function pathOf(change: PathChange | undefined): readonly string[] | undefined {
  if (change === undefined) return undefined;
  return change.type === "full" ? [change.path] : [change.path, change.prefix];
}

/** Returns JSON; undefined if nothing has to be changed. */
function steeringOf(rule: Filters, backend: Filters): string | undefined {
  const mirrors = mirrorsOf(rule, backend);
  const record: Fields<"steering"> = {
    ...policySteering(rule, backend),
    ...(mirrors.length > 0 ? { [isLate(mirrors) ? "late" : "mirrors"]: mirrorRecords(mirrors) } : {}),
    ...(rule.auth === undefined ? {} : { auth: handedOn(rule.auth) }),
  };
  return Object.keys(record).length === 0 ? undefined : JSON.stringify(record);
}

function mirrorsOf(rule: Filters, backend: Filters): readonly Mirror[] {
  return [...(rule.mirrors ?? []), ...(backend.mirrors ?? [])].filter(({ share }) => share > 0);
}

/** Whether they are those of a rule for calls; all mirrors of a rule are equal in that. */
const isLate = (mirrors: readonly Mirror[]): boolean => mirrors[0]?.isLate === true;

/** Returns the ways, in an order that depends on the ways alone. */
function waysOf(mirrors: readonly Mirror[]): readonly CopyWay[] {
  const ways = new Map(mirrors.flatMap(({ way }) => (way === undefined ? [] : [[keyOf(way), way]])));
  return [...ways].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, way]) => way);
}

const keyOf = ({ isHttp2, isSecure, tls }: CopyWay): string => `${isHttp2} ${isSecure} ${tls?.id}`;

/**
 * Returns the mirrors as data. The number is the index of the mirror's way among those of the text,
 * from 1 on.
 */
function mirrorRecords(mirrors: readonly Mirror[]): readonly (readonly [string, number, number?])[] {
  const places = waysOf(mirrors).map(keyOf);
  return mirrors.map(({ upstream, share, way }) =>
    way === undefined ? [upstream, share] : [upstream, share, places.indexOf(keyOf(way)) + 1],
  );
}

function questionRecord({ upstream, path, mostBody }: AuthService): Fields<"question"> {
  return { upstream, path, ...(mostBody > 0 ? { body: mostBody } : {}) };
}

function asksOf({ isGrpc, isSecure, tls, requestHeaders, mostBody }: AuthService): NonNullable<RouteTraits["asks"]> {
  return {
    ...(isGrpc === true ? { isGrpc } : {}),
    ...(isSecure === true ? { isSecure } : {}),
    ...(tls === undefined ? {} : { tls }),
    headers: requestHeaders,
    body: mostBody > 0,
  };
}

function handedOn({ isGrpc, responseHeaders }: AuthService): object {
  if (isGrpc === true) return { grpc: 1 };
  return responseHeaders.length === 0 ? {} : { headers: Object.fromEntries(responseHeaders.map((name) => [name, 1])) };
}

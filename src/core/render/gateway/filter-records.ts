/**
 * A route's changes to requests and answers, in the form that Lua reads. Changes after the jump to
 * a shape are in one text, `steering`, which travels with the request. So a record that changes
 * meanwhile cannot mix two versions.
 */

import type { AuthService, Filters, PathChange, UrlRewrite } from "../../model/filters.ts";
import type { Fields } from "../../model/records.ts";
import type { RouteTraits } from "../../model/route-traits.ts";
import { policyRecord, policySteering, policyTraits } from "../../policies/filters.ts";
import { hostSetBy } from "../../policies/header-changes/record.ts";

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
  const rewrite = rewriteOf(rule, backend);
  return {
    ...policyTraits(rule, backend),
    ...(rule.redirect === undefined ? {} : { answers: true }),
    ...(steeringOf(rule, backend) === undefined ? {} : { steers: true }),
    ...(rewrite?.hostname === undefined ? {} : { names: true }),
    ...((backend.rewrite?.path ?? rule.rewrite?.path)?.type === "prefix" ? { spells: true } : {}),
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
  const record: Fields<"steering"> = {
    ...policySteering(rule, backend),
    ...(rule.auth === undefined ? {} : { auth: handedOn(rule.auth) }),
  };
  return Object.keys(record).length === 0 ? undefined : JSON.stringify(record);
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

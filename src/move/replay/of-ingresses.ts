/** Computes the effect of Ingresses on a request. */

import { decide } from "../../ask/matcher/decide.ts";
import type { AskedRequest } from "../../ask/matcher/request.ts";
import { type Canary, defaultUpstream, type Location } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { transportSecurityValue } from "../convert/transport-security.ts";
import { askingOf } from "./asking.ts";
import {
  answerFields,
  backendFields,
  certificateField,
  comparableLocation,
  cookieFields,
  type Effect,
  featuresField,
  guardFields,
  type SharedBackend,
  type World,
} from "./effect.ts";
import { passedByIngress } from "./passed-on.ts";

/**
 * Returns effects that count as equal, the real one first. A path without a rule ends in 404, so a
 * redirect to https or a request for a password before that counts as equal. Returns undefined
 * if only nginx knows the effect.
 */
export function effectsOfIngresses(world: World, asked: AskedRequest): readonly [Effect, ...Effect[]] | undefined {
  const { served, options } = world;
  const passed = passedByIngress(world, asked);
  if (passed !== undefined) return [passed];
  const { host, path, guards, end } = decide(served, asked, options);
  if (end.kind === "unclear") return undefined;
  const certificate = certificateField(asked, host?.certificate ?? served.defaultCertificate.id);
  const nothing: Effect = new Map([["answer", "404"], ...certificate]);
  if (end.kind === "answer") {
    const location = end.location === undefined ? "" : ` ${comparableLocation(end.location)}`;
    const own = path?.kind === "location" ? path.location : undefined;
    const isUnruled = own !== undefined && hasNoRule(own, world);
    const headers = own === undefined || isUnruled ? [] : answerFields(own);
    const answer: Effect = new Map([["answer", `${end.status}${location}`], ...certificate, ...headers]);
    return isUnruled ? [answer, nothing] : [answer];
  }
  if (path?.kind !== "location" || hasNoRule(path.location, world)) return [nothing];
  const { location } = path;
  const secure = asked.scheme === "https" && served.settings.hsts;
  const shares = sharesOf(location, asked, world);
  const effect: Effect = new Map([
    ["answer", "of the backend"],
    ["path", end.rewritten ?? "as it came"],
    ["Strict-Transport-Security", secure ? transportSecurityValue(served.settings) : ""],
    ...certificate,
    ...backendFields(shares),
    ...cookieFields(location, shares, location.path),
    ...(isSticky(location)
      ? [["backends of a session", "a client stays with the canary that served it"] as const]
      : []),
    ...guardFields(guards),
    featuresField(location),
  ]);
  return [effect];
}

/** Whether no rule has the path, so that the built-in default backend answers it. */
function hasNoRule({ backends, features }: Location<FeatureValues>, { served, options }: World): boolean {
  const { endpoints = [] } = served.upstreams.get(backends[0]!.upstream) ?? {};
  const isBuiltIn = endpoints.some(({ address, port }) => address === "127.0.0.1" && port === options.builtInPort);
  return backends[0]!.upstream === defaultUpstream && isBuiltIn && features.redirects.elsewhere === undefined;
}

/** Whether a cookie binds clients to a canary. The rules of a route cannot do that. */
function isSticky({ canaries, features: { sessionAffinity } }: Location<FeatureValues>): boolean {
  const isChosen = ({ policy: { header, cookie, weight } }: Canary) => header !== "" || cookie !== "" || weight > 0;
  return canaries.some(isChosen) && sessionAffinity.type === "cookie" && sessionAffinity.canaryBehavior === "sticky";
}

/**
 * Returns the backends that may get the request, with the probabilities of
 * nginx/lua/sluice/canary.lua.
 */
function sharesOf(
  location: Location<FeatureValues>,
  asked: AskedRequest,
  { served, defaultService = "" }: World,
): readonly SharedBackend[] {
  const { upstreams } = served;
  const [own] = location.backends;
  const main = upstreams.get(
    location.standIn !== undefined && (upstreams.get(own!.upstream)?.endpoints.length ?? 0) === 0
      ? location.standIn
      : own!.upstream,
  );
  const shared = (upstream: string, share: number): SharedBackend => ({
    name: serviceOf(upstream),
    asking: askingOf(upstream, location.features),
    share,
    upstream: upstreams.get(upstream),
  });
  const usable = location.canaries.filter(({ upstream }) => (upstreams.get(upstream)?.endpoints.length ?? 0) > 0);
  const rules = usable.map((canary) => ({ canary, rule: ruleOf(canary, asked) }));
  const certain = (["header", "cookie"] as const).flatMap((kind) => rules.filter(({ rule }) => rule === kind))[0];
  if (certain !== undefined) return [shared(certain.canary.upstream, 1)];
  let left = 1;
  const drawn = rules
    .filter(({ rule }) => rule === "weight")
    .map(({ canary: { upstream, policy } }) => {
      const share = Math.max(0, Math.min(left, policy.weight / policy.weightTotal));
      left -= share;
      return shared(upstream, share);
    });
  return [
    {
      name: own!.service === "" ? defaultService : serviceOf(own!.upstream),
      asking: askingOf(own!.upstream, location.features),
      share: left,
      upstream: main,
    },
    ...drawn,
  ];
}

/**
 * Returns the Service at the beginning of an Upstream's id. The port is left out, because an
 * Ingress may name it and a route has its number.
 */
const serviceOf = (upstream: string): string => upstream.split(" ")[0]!.split("/").slice(0, 2).join("/");

/**
 * Returns the rule by which the canary may take the request; undefined if a rule keeps the
 * request out.
 */
function ruleOf({ policy }: Canary, { headers }: AskedRequest): "header" | "cookie" | "weight" | undefined {
  const { header, headerValue, headerPattern, cookie } = policy;
  const value = header === "" ? undefined : headers.get(header.toLowerCase());
  if (value !== undefined) {
    if (headerValue !== "") {
      if (value === headerValue) return "header";
    } else if (headerPattern !== "") {
      if (new RegExp(headerPattern).test(value)) return "header";
    } else if (value === "always") return "header";
    else if (value === "never") return undefined;
  }
  const word = cookie === "" ? undefined : cookieOf(headers.get("cookie") ?? "", cookie);
  if (word === "always") return "cookie";
  return word === "never" ? undefined : "weight";
}

function cookieOf(text: string, name: string): string | undefined {
  return text
    .split(/[;,]\s*/)
    .map((pair) => pair.split("="))
    .find(([key]) => key!.toLowerCase() === name.toLowerCase())?.[1];
}

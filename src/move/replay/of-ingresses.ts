/** Computes the effect of Ingresses on a request. */

import { canaryShares } from "../../ask/matcher/canaries.ts";
import { decide } from "../../ask/matcher/decide.ts";
import type { End } from "../../ask/matcher/decision.ts";
import type { AskedRequest } from "../../ask/matcher/request.ts";
import { defaultUpstream, type Location } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { bindsToCanaries } from "../../core/policies/sessions/convert.ts";
import { transportSecurityValue } from "../convert/transport-security.ts";
import { connectionOf } from "./connection.ts";
import {
  certificateField,
  type Effect,
  effectOfAnswer,
  effectOfBackend,
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
  const { host, path, guards, end } = decide(served, asked, options).atHosts;
  if (end.kind === "unclear") return undefined;
  const certificate = certificateField(asked, host?.certificate ?? served.defaultCertificate.id);
  const nothing: Effect = new Map([["answer", "404"], ...certificate]);
  if (end.kind === "answer") {
    const own = path?.kind === "location" ? path.location : undefined;
    const isUnruled = own !== undefined && hasNoRule(own, world);
    const answer = effectOfAnswer(end, certificate, isUnruled ? undefined : own);
    return isUnruled ? [answer, nothing] : [answer];
  }
  if (path?.kind !== "location" || hasNoRule(path.location, world)) return [nothing];
  const { location } = path;
  const secure = asked.scheme === "https" && served.settings.hsts;
  const effect = effectOfBackend({
    ...{ location, certificate, guards, rewritten: end.rewritten },
    transportSecurity: secure ? transportSecurityValue(served.settings) : "",
    cookiePath: location.path,
    backends: sharesOf(location, end, asked, world.defaultService),
  });
  if (!bindsToCanaries(location.features, location.canaries)) return [effect];
  return [new Map([...effect, ["backends of a session", "a client stays with the canary that served it"]])];
}

/** Whether no rule has the path, so that the built-in default backend answers it. */
function hasNoRule({ backends, features }: Location<FeatureValues>, { served, options }: World): boolean {
  const { endpoints = [] } = served.upstreams.get(backends[0]!.upstream) ?? {};
  const isBuiltIn = endpoints.some(({ address, port }) => address === "127.0.0.1" && port === options.builtInPort);
  return backends[0]!.upstream === defaultUpstream && isBuiltIn && features.redirects.elsewhere === undefined;
}

/** Returns the backends that may get the request, with their probabilities. */
function sharesOf(
  { backends, features }: Location<FeatureValues>,
  { canaries, upstream }: End & { readonly kind: "proxied" },
  asked: AskedRequest,
  defaultService = "",
): readonly SharedBackend[] {
  const [own] = backends;
  const shares = canaryShares(canaries, asked);
  return [
    {
      name: own!.service === "" ? defaultService : serviceOf(own!.upstream),
      connection: connectionOf(own!.upstream, features),
      share: shares.reduce((left, share) => left - share, 1),
      upstream,
    },
    ...canaries.map(({ canary, upstream: its }, at) => ({
      name: serviceOf(canary.upstream),
      connection: connectionOf(canary.upstream, features),
      share: shares[at]!,
      upstream: its,
    })),
  ];
}

/**
 * Returns the Service at the beginning of an Upstream's id. The port is left out, because an
 * Ingress may name it and a route has its number.
 */
const serviceOf = (upstream: string): string => upstream.split(" ")[0]!.split("/").slice(0, 2).join("/");

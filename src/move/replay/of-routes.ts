/** Computes the effect of routes on a request. */

import { decide } from "../../ask/matcher/decide.ts";
import type { GatewayDecision } from "../../ask/matcher/decision.ts";
import type { AskedRequest } from "../../ask/matcher/request.ts";
import { pairsFor } from "../../core/certificates/choice.ts";
import { literalPath } from "../../core/kinds/gateway/cookie-path.ts";
import type { Filters } from "../../core/model/filters.ts";
import { connectionOfRule } from "./connection.ts";
import { certificateField, type Effect, effectOfAnswer, effectOfBackend, type World } from "./effect.ts";
import { effectsOfIngresses } from "./of-ingresses.ts";
import { passedByRoute } from "./passed-on.ts";

/**
 * Returns effects that count as equal, the real one first. An Ingress that stays may take the
 * request. Returns undefined if only nginx knows the effect.
 */
export function effectsOfRoutes(world: World, asked: AskedRequest): readonly [Effect, ...Effect[]] | undefined {
  const { served, options } = world;
  const passed = passedByRoute(world, asked);
  if (passed !== undefined) return [passed];
  const { atListeners, atHosts } = decide(served, asked, options);
  const [decision] = atListeners;
  if (decision === undefined) return effectsOfIngresses(world, asked);
  const [pair = ""] = pairsFor(decision.request!.host, decision.listener.certificates, served.certificates);
  const certificate = certificateField(asked, pair);
  if (decision.passedOn === undefined) {
    const effect = effectOf(decision, certificate);
    return effect && [effect];
  }
  const effects = effectsOfIngresses(world, asked);
  const [first, ...others] = effects ?? [];
  const { server, certificate: own } = atHosts.host!;
  // A more specific name of an Ingress brings its certificate to the port of both.
  const isOwn = own !== undefined && server.name.length > decision.listener.hostname.length;
  if (first === undefined || isOwn) return effects;
  const shown = (effect: Effect): Effect => new Map([...effect, ...certificate]);
  return [shown(first), ...others.map(shown)];
}

function effectOf(decision: GatewayDecision, certificate: ReturnType<typeof certificateField>): Effect | undefined {
  const { end, path, guards, backends } = decision;
  const taken = path?.kind === "location" ? path : undefined;
  if (end.kind === "unclear") return undefined;
  if (end.kind === "answer" || taken === undefined) return effectOfAnswer(end, certificate, taken?.location);
  const { location, route } = taken;
  return effectOfBackend({
    ...{ location, certificate, guards, rewritten: end.rewritten },
    transportSecurity: transportSecurityIn(location.filters),
    cookiePath: route.match === "pattern" ? literalPath(location.path, true) : location.path,
    backends: backends.map(({ backend, share, upstream }) => {
      const standsIn = end.standsIn && (upstream?.endpoints.length ?? 0) === 0;
      const connection = connectionOfRule(backend, location.features);
      return { name: backend.key, connection, share, upstream: standsIn ? end.upstream : upstream };
    }),
  });
}

function transportSecurityIn(filters: Filters | undefined): string {
  const found = filters?.responseHeaders?.set.find(({ name }) => name.toLowerCase() === "strict-transport-security");
  return found?.value ?? "";
}

/** Makes the answer about a request at the port of a Gateway from the decision. */
import { pairsFor } from "../../../core/certificates/choice.ts";
import { addressWithPort } from "../../../core/model/endpoint.ts";
import { fullSentence } from "../../../core/model/problem.ts";
import { unfulfilled } from "../../matcher/conditions.ts";
import type { GatewayDecision } from "../../matcher/decision.ts";
import { outranked } from "../../matcher/outranked.ts";
import type { RouteLost } from "../../matcher/paths.ts";
import { readRequest } from "../../matcher/request.ts";
import type { Arrival, AskedBackend, AskedCertificate } from "../api/ask.ts";
import type { Explaining } from "./explaining.ts";
import { gatewaySteps } from "./gateway-steps.ts";
import { gatewayReasons } from "./route-reasons.ts";
import { hasRoutes, ruleReasons } from "./rule-reasons.ts";
import { settingsOf } from "./settings.ts";
import { changeSteps, openGuard } from "./steps.ts";
import { askedEnd, askedProblem, certificateOf, mostLost, problemsOf, routeOf } from "./words.ts";

export function gatewayArrival(explaining: Explaining, decision: GatewayDecision): Arrival {
  const { world, asked } = explaining;
  const { port, listener, host, lost, path, guards, end, errorPages } = decision;
  const taken = path?.kind === "location" ? path : undefined;
  const behind = behindOf(explaining, decision);
  const { gateway, name, hostname } = listener;
  const owner = taken?.location.owner;
  const problems = owner === undefined ? [] : problemsOf(world.findings, [owner]);
  const certificate = asked.scheme === "https" && port.tls ? certificateFor(explaining, decision) : undefined;
  const isLost = taken === undefined && end.kind === "answer" && end.status === 404;
  const backends = backendsIn(decision);
  const changes = isLost ? reasonsFor(explaining, decision) : [];
  return {
    listener: {
      ...{ gateway, name, hostname, port: port.listenPort },
      ...(port.address === undefined ? {} : { address: port.address }),
    },
    ...(host === undefined ? {} : { host: { name: host.server.name, by: host.by, how: host.how } }),
    lost: [...lost, ...behind].slice(0, mostLost).map((one) => ({ ...routeOf(one), why: one.why })),
    ...(taken === undefined ? {} : { route: routeOf(taken) }),
    guards: guards.map(openGuard),
    backends,
    ...(certificate === undefined ? {} : { certificate }),
    settings: taken === undefined ? [] : settingsOf(owner, world),
    problems: problems.map(askedProblem),
    end: askedEnd(end),
    errorPages,
    changes,
    steps: [...gatewaySteps(decision, { behind, backends, problems }), ...changeSteps(changes)],
  };
}

function reasonsFor(explaining: Explaining, decision: GatewayDecision): readonly string[] {
  const { asked, world } = explaining;
  const known = gatewayReasons(explaining);
  const request = readRequest(asked);
  if (request === undefined || (known.length > 0 && !hasRoutes(decision))) return known;
  return [...known, ...ruleReasons(decision, request, world.served)];
}

/** Returns routes that match the request, too, but come after the one that gets it. */
function behindOf({ asked }: Explaining, { request, path }: GatewayDecision): readonly RouteLost[] {
  if (path?.kind !== "location" || request === undefined) return [];
  const { server, route } = path;
  return outranked(server, route, request.uri)
    .filter((one) => unfulfilled(one.route.conditions, { request, asked }) === undefined)
    .map((one) => ({ server, ...one }));
}

function backendsIn({ backends }: GatewayDecision): readonly AskedBackend[] {
  return backends.map(({ backend: { key: service, port, unusable }, share, upstream }) => ({
    ...{ service, port, share },
    endpoints: (upstream?.endpoints ?? []).map(addressWithPort),
    ...(unusable === undefined ? {} : { unusable: fullSentence(unusable) }),
  }));
}

function certificateFor({ world, asked }: Explaining, { listener }: GatewayDecision): AskedCertificate {
  const host = asked.host.replace(/:\d+$/, "").toLowerCase();
  const name = asked.sni ?? host;
  const pairs = pairsFor(name, listener.certificates, world.served.certificates);
  const found = certificateOf(pairs[0], world.served, name || host);
  return found ?? { names: [], fits: false, why: "none can be used, so the handshake ends" };
}

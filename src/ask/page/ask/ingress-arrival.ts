/** Makes the answer about a request at the ports of Ingresses from the decision. */

import { addressWithPort } from "../../../core/model/endpoint.ts";
import { backendOf as ownBackend } from "../../../core/model/location.ts";
import { isRefusal, named } from "../../../core/model/problem.ts";
import { canaryShares } from "../../matcher/canaries.ts";
import type { Decision, GatewayDecision } from "../../matcher/decision.ts";
import { outranked } from "../../matcher/outranked.ts";
import type { AskedRequest } from "../../matcher/request.ts";
import { canaryRule, routesOf } from "../../routes/routes.ts";
import type { Arrival, AskedBackend, AskedCertificate } from "../api/ask.ts";
import type { Explaining } from "./explaining.ts";
import { passedOnSteps } from "./gateway-steps.ts";
import { ingressSteps } from "./ingress-steps.ts";
import { reasonsIn } from "./reasons.ts";
import { hasRoutes, ruleReasons } from "./rule-reasons.ts";
import { settingsOf } from "./settings.ts";
import { openGuard } from "./steps.ts";
import { askedEnd, askedProblem, backendOf, certificateOf, lostOf, mostLost, problemsOf, routeOf } from "./words.ts";
import type { AskedWorld, Finding } from "./world.ts";

/**
 * Makes the arrival. `passedOn` are Gateways on the same port that leave the request to Ingresses.
 */
export function ingressArrival(
  { world, asked, now }: Explaining,
  decision: Decision,
  passedOn: readonly GatewayDecision[],
): Arrival {
  const { request, host, path, guards, end, errorPages } = decision;
  const found = path?.kind === "location" ? path : undefined;
  const lost =
    host === undefined || found === undefined
      ? []
      : outranked(host.server, found.route, request!.uri)
          .slice(0, mostLost)
          .map((one) => lostOf(host.server, one));
  const certificate = shownTo(asked, decision, world);
  const problems = problemsFor(decision, world.findings);
  const ofRules = request === undefined ? [] : passedOn.flatMap((one) => ruleReasons(one, request, world.served));
  const changes = [
    ...unservedBecause(decision, problems),
    ...reasonsIn(decision, asked.scheme, world, { ofRules, hasRoutes: passedOn.some(hasRoutes) }),
  ];
  const routes = host === undefined ? [] : routesOf(world.served, world.snapshot, host.server.name);
  const backends = backendsIn(decision, asked);
  const { flagsOf } = world;
  const way = { decision, scheme: asked.scheme, lost, backends, routes, certificate, problems, changes, flagsOf };
  return {
    ...(host === undefined ? {} : { host: { name: host.server.name, by: host.by, how: host.how } }),
    lost,
    ...(found === undefined ? {} : { route: routeOf(found) }),
    guards: guards.map(openGuard),
    backends,
    ...(certificate === undefined ? {} : { certificate }),
    settings: found === undefined ? [] : settingsOf(found.location.owner, world),
    problems: problems.map(askedProblem),
    end: askedEnd(end),
    errorPages,
    changes,
    steps: [...passedOn.flatMap(passedOnSteps), ...ingressSteps(way, now)],
  };
}

/** Warns that nginx will refuse the Ingress whose route is explained, as files alone show it. */
function unservedBecause({ path }: Decision, problems: readonly Finding[]): readonly string[] {
  const owner = path?.kind === "location" ? path.location.owner : undefined;
  if (owner === undefined) return [];
  const fields = problems.flatMap(({ problem }) =>
    isRefusal(problem) && named(problem.object) === named(owner) && "field" in problem ? [problem.field] : [],
  );
  return [...new Set(fields)].map(
    (field) => `correct ${field} of ${named(owner)}: nginx refuses it, so this version is not served`,
  );
}

/** Returns the backends, the Location's own one first. */
function backendsIn(decision: Decision, asked: AskedRequest): readonly AskedBackend[] {
  const { end } = decision;
  if (end.kind !== "proxied") return [];
  const when = canaryWords(decision);
  const shares = canaryShares(end.canaries, asked);
  const rest = 1 - shares.reduce((sum, share) => sum + share, 0);
  const all = [
    { upstream: end.upstream, share: rest },
    ...end.canaries.map(({ upstream }, at) => ({ upstream, share: shares[at]! })),
  ];
  return all.flatMap(({ upstream, share }) =>
    upstream === undefined || share <= 0
      ? []
      : [
          {
            ...backendOf(upstream.id),
            share,
            ...when.get(upstream.id),
            endpoints: upstream.endpoints.map(addressWithPort),
          },
        ],
  );
}

/** Returns the rule by which each canary takes requests, by the id of its Upstream. */
function canaryWords({ end }: Pick<Decision, "end">): ReadonlyMap<string, Pick<AskedBackend, "when">> {
  const canaries = end.kind === "proxied" ? end.canaries : [];
  return new Map(canaries.map(({ canary: { upstream, policy } }) => [upstream, { when: canaryRule(policy) }] as const));
}

/**
 * Returns the certificate of the host. For http it is the one that https would show, if the host
 * has its own.
 */
function shownTo({ scheme }: AskedRequest, decision: Decision, world: AskedWorld): AskedCertificate | undefined {
  const name = decision.request?.host ?? "";
  const found = certificateOf(decision.host?.certificate, world.served, name);
  if (found !== undefined || scheme === "http") return found;
  const why = withoutCertificate(decision, world) ?? "no tls entry of an Ingress fits the host";
  return { names: world.served.defaultCertificate.names, fits: false, why };
}

/**
 * Returns why a host for which TLS is configured has no certificate of its own; undefined if
 * that is not known.
 */
function withoutCertificate({ host, request }: Decision, { problems, snapshot }: AskedWorld): string | undefined {
  if (host === undefined || host.certificate !== undefined || !host.tls) return undefined;
  const names = [host.server.name, request?.host];
  for (const problem of problems) {
    if (problem.kind === "certificate-misfit" && names.includes(problem.host)) {
      return `Secret ${problem.secret}, which ${named(problem.object)} names, is for ${problem.names}`;
    }
    if (problem.kind !== "secret-unusable" || !problem.field.startsWith("spec.tls")) continue;
    const { namespace = "default", name } = problem.object;
    const rules = snapshot.ingresses.get(`${namespace}/${name}`)?.spec?.rules ?? [];
    if (rules.some((rule) => rule.host?.toLowerCase() === host.server.name)) {
      return `Secret ${problem.secret}, which ${named(problem.object)} names: ${problem.why}`;
    }
  }
  return "its tls entry names no Secret";
}

/**
 * Returns the Problems of the route's owner and of its Service, or, without a route, those of
 * unreadable files.
 */
function problemsFor({ path }: Decision, findings: readonly Finding[]): readonly Finding[] {
  if (path?.kind !== "location") return findings.filter(({ problem }) => problem.object.kind === "File");
  const { owner } = path.location;
  if (owner === undefined) return [];
  const { service } = ownBackend(path.location);
  return problemsOf(findings, [owner, { kind: "Service", namespace: owner.namespace, name: service }]);
}

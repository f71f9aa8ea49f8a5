/** Makes the answer about a request at one of the places where it may arrive from the decision. */

import { pairsFor } from "../../../core/certificates/choice.ts";
import { addressWithPort } from "../../../core/model/endpoint.ts";
import { fullSentence, isRefusal, named } from "../../../core/model/problem.ts";
import { canaryShares } from "../../matcher/canaries.ts";
import { unfulfilled } from "../../matcher/conditions.ts";
import type { BackendShare, Decision, GatewayDecision } from "../../matcher/decision.ts";
import { outranked } from "../../matcher/outranked.ts";
import type { RouteLost } from "../../matcher/paths.ts";
import type { AskedRequest } from "../../matcher/request.ts";
import { canaryRule } from "../../routes/routes.ts";
import type { Arrival, AskedBackend, AskedCertificate, AskedListener } from "../api/ask.ts";
import { reasonsIn } from "./reasons.ts";
import { passedOnSteps, requestSteps, type SentTo } from "./request-steps.ts";
import { hasRoutes, ruleReasons } from "./rule-reasons.ts";
import { settingsOf } from "./settings.ts";
import { openGuard } from "./steps.ts";
import { askedEnd, askedProblem, backendOf, certificateOf, lostOf, mostLost, problemsOf, routeOf } from "./words.ts";
import type { AskedWorld, Explaining, Finding } from "./world.ts";

/**
 * Makes the arrival at a listener, or else at the ports of Ingresses. `passedOn` are Gateways on
 * the same port that leave the request to Ingresses.
 */
export function arrivalOf(
  { world, asked, now }: Explaining,
  decision: Decision | GatewayDecision,
  passedOn: readonly GatewayDecision[] = [],
): Arrival {
  const { request, host, path, guards, end, errorPages } = decision;
  const at = "listener" in decision ? decision : undefined;
  const found = path?.kind === "location" ? path : undefined;
  const behind = behindOf(decision, asked);
  const certificate = shownTo(asked, decision, world);
  const problems = problemsFor(decision, world.findings);
  const rules = at === undefined ? passedOn : [at];
  const ofRules = request === undefined ? [] : rules.flatMap((one) => ruleReasons(one, request, world.served));
  const changes = [
    ...unservedBecause(decision, problems),
    ...reasonsIn(decision, asked.scheme, world, { ofRules, hasRoutes: rules.some(hasRoutes) }),
  ];
  const sent = backendsIn(decision, asked);
  const backends = sent.map(({ backend }) => backend);
  const way = { decision, scheme: asked.scheme, behind, sent, certificate, problems, changes, world, now };
  return {
    ...(at === undefined ? {} : { listener: listenerWords(at) }),
    ...(host === undefined ? {} : { host: { name: host.server.name, by: host.by, how: host.how } }),
    lost: [...(at?.lost ?? []), ...behind].slice(0, mostLost).map(lostOf),
    ...(found === undefined ? {} : { route: routeOf(found) }),
    guards: guards.map(openGuard),
    backends,
    ...(certificate === undefined ? {} : { certificate }),
    settings: found === undefined ? [] : settingsOf(found.location.owner, world),
    problems: problems.map(askedProblem),
    end: askedEnd(end),
    errorPages,
    changes,
    steps: [...passedOn.flatMap(passedOnSteps), ...requestSteps(way)],
  };
}

function listenerWords({ listener: { gateway, name, hostname }, port }: GatewayDecision): AskedListener {
  const address = port.address === undefined ? {} : { address: port.address };
  return { gateway, name, hostname, port: port.listenPort, ...address };
}

/** Returns routes that match the request, too, but come after the one that gets it. */
function behindOf({ request, path }: Decision, asked: AskedRequest): readonly RouteLost[] {
  if (path?.kind !== "location" || request === undefined) return [];
  const { server, route } = path;
  return outranked(server, route, request.uri)
    .filter((one) => unfulfilled(one.route.conditions, { request, asked }) === undefined)
    .map((one) => ({ server, ...one }));
}

/** Warns that nginx will refuse the object whose route is explained, as files alone show it. */
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

/** Returns the backends with a share, the Location's own ones first. */
function backendsIn({ backends, end }: Decision, asked: AskedRequest): readonly SentTo[] {
  const canaries = end.kind === "proxied" ? end.canaries : [];
  const shares = canaryShares(canaries, asked);
  const rest = 1 - shares.reduce((sum, share) => sum + share, 0);
  const own = backends.map((one) => ({ backend: ownBackend(one, rest, end), own: one.backend }));
  const others = canaries.map(({ canary, upstream }, at) => ({
    backend: {
      ...backendOf(canary.upstream),
      share: shares[at]!,
      when: canaryRule(canary.policy),
      endpoints: (upstream?.endpoints ?? []).map(addressWithPort),
    },
    own: undefined,
  }));
  return [...own, ...others].filter(({ backend: { share } }) => share > 0);
}

function ownBackend({ backend, share, upstream }: BackendShare, rest: number, end: Decision["end"]): AskedBackend {
  const { key: service, port, unusable } = backend;
  const isEmpty = (upstream?.endpoints.length ?? 0) === 0;
  const other = isEmpty && end.kind === "proxied" && end.standsIn ? end.upstream : undefined;
  return {
    ...(other === undefined ? { service, port } : backendOf(other.id)),
    share: share * rest,
    endpoints: ((other ?? upstream)?.endpoints ?? []).map(addressWithPort),
    ...(unusable === undefined ? {} : { unusable: fullSentence(unusable) }),
  };
}

/**
 * Returns the certificate that the client sees. For http it is the one that https would show, if
 * the host has its own.
 */
function shownTo(asked: AskedRequest, decision: Decision | GatewayDecision, world: AskedWorld) {
  const host = decision.request?.host ?? "";
  if ("listener" in decision)
    return decision.port.tls ? ofListener(asked.sni ?? host, host, decision, world) : undefined;
  const found = certificateOf(decision.host?.certificate, world.served, host);
  if (found !== undefined || asked.scheme === "http") return found;
  const why = withoutCertificate(decision, world) ?? "no tls entry of an Ingress fits the host";
  return { names: world.served.defaultCertificate.names, fits: false, why };
}

function ofListener(
  name: string,
  host: string,
  { listener }: GatewayDecision,
  { served }: AskedWorld,
): AskedCertificate {
  const [pair] = pairsFor(name, listener.certificates, served.certificates);
  const why = "none can be used, so the handshake ends";
  return certificateOf(pair, served, name || host) ?? { names: [], fits: false, why };
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
 * Returns the Problems of the route's owner and of its Services, or, without a route, those of
 * unreadable files.
 */
function problemsFor({ path }: Decision, findings: readonly Finding[]): readonly Finding[] {
  if (path?.kind !== "location") return findings.filter(({ problem }) => problem.object.kind === "File");
  const { owner, backends } = path.location;
  if (owner === undefined) return [];
  const services = backends.map(({ key, service: name }) => {
    return { kind: "Service", namespace: key.slice(0, key.indexOf("/")), name };
  });
  return problemsOf(findings, [owner, ...services]);
}

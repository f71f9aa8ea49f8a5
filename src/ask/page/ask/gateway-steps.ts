/**
 * Describes the way of a request at the port of a Gateway, as steps: listener, route, the routes
 * that were tried before, guards, backends, answer.
 */

import { conditionWords } from "../../../core/model/condition-words.ts";
import { catchAll } from "../../../core/model/configuration.ts";
import type { Filters } from "../../../core/model/filters.ts";
import { named, sentence } from "../../../core/model/problem.ts";
import { filterWords } from "../../../core/policies/filters.ts";
import type { GatewayDecision } from "../../matcher/decision.ts";
import type { RouteLost, RouteTaken } from "../../matcher/paths.ts";
import type { AskedBackend, AskedStep } from "../api/ask.ts";
import { endOf, guardStep, percent, problemStep, someOf, step } from "./steps.ts";
import type { Finding } from "./world.ts";

/**
 * The most routes that are printed among those that were tried first. Further routes are only
 * counted.
 */
const mostLost = 5;

export interface GatewayWay {
  /** Routes that come after the one that gets the request. */
  readonly behind: readonly RouteLost[];
  /** The backends that may get the request, with their probabilities. */
  readonly backends: readonly AskedBackend[];
  readonly problems: readonly Finding[];
}

export function gatewaySteps(decision: GatewayDecision, way: GatewayWay): readonly AskedStep[] {
  const { behind, problems } = way;
  const { port, listener, lost, path, guards, backends, end } = decision;
  const taken = path?.kind === "location" ? path : undefined;
  const hostname = listener.hostname === "" ? "all hosts" : listener.hostname;
  const at = `${port.address ?? "all addresses"}, port ${port.listenPort}`;
  return [
    step("gateway", `Gateway ${listener.gateway}, on ${at}`),
    step("listener", `${listener.name}, for ${hostname}`),
    ...certificateSteps(decision),
    ...lostSteps(lost),
    ...(taken === undefined ? [] : [step("route", routeWords(taken)), ...filterSteps(taken.location.filters ?? {})]),
    ...behind.slice(0, mostLost).map((one) => step("not", `${routeWords(one)}: ${one.why}`)),
    ...(taken === undefined ? [] : weightSteps(taken)),
    ...guards.map(guardStep),
    ...backends.flatMap(({ backend, share, upstream }) => [
      step(
        "backend",
        `${backendWords(backend)}${backends.length === 1 ? "" : `, ${percent(share)} of the requests`}: ${
          backend.unusable === undefined
            ? endpointWords(upstream?.endpoints ?? [])
            : `500, ${sentence(backend.unusable)}`
        }`,
      ),
      ...filterSteps(backend.filters ?? {}),
    ]),
    ...problemSteps(taken, problems),
    step("answer", endOf(end, way.backends)),
  ];
}

/** Returns the steps of a Gateway that leaves the request to Ingresses on its port. */
export function passedOnSteps({ listener, lost, passedOn = "" }: GatewayDecision): readonly AskedStep[] {
  return [
    step("gateway", `Gateway ${listener.gateway}, listener ${listener.name}: ${passedOn}, so Ingresses are asked`),
    ...lostSteps(lost),
  ];
}

function lostSteps(lost: readonly RouteLost[]): AskedStep[] {
  const more = lost.length - mostLost;
  return [
    ...lost.slice(0, mostLost).map((one) => step("not", `${routeWords(one)}: ${one.why}`)),
    ...(more > 0 ? [step("not", `${more} more route${more === 1 ? "" : "s"}`)] : []),
  ];
}

function certificateSteps({ port, listener }: GatewayDecision): AskedStep[] {
  if (!port.tls) return [];
  const { certificates } = listener;
  const which =
    certificates.length === 0 ? "none can be used, so the handshake ends" : `Secret ${certificates.join(", ")}`;
  return [step("certificate", which)];
}

const types = { exact: "Exact", prefix: "PathPrefix", pattern: "RegularExpression", regex: "regex", slash: "slash" };

/**
 * Returns, for example, `HTTPRoute shop/web, rule cart: /cart (PathPrefix) with POST, of host
 * *.example.com`.
 */
function routeWords(taken: RouteTaken): string {
  const { server, location, route } = taken;
  const owner = location.owner === undefined ? "" : named(location.owner);
  const rule = location.rule === undefined ? "" : `, rule ${location.rule}`;
  const conditions = conditionWords(route.conditions);
  const host = server.name === catchAll ? "all hosts" : `host ${server.name}`;
  // The prefix /foo also covers the path /foo itself, which is an exact path in the Configuration.
  const type = isPrefix(taken) ? "prefix" : route.match;
  return `${owner}${rule}: ${location.path} (${types[type]})${conditions === "" ? "" : ` with ${conditions}`}, for ${host}`;
}

function isPrefix({ server, route }: RouteTaken): boolean {
  return server.routes.some(({ location, match }) => location === route.location && match === "prefix");
}

function filterSteps(filters: Filters): AskedStep[] {
  const { redirect, rewrite, mirrors = [] } = filters;
  const own = [
    ...(redirect === undefined ? [] : [`redirects with ${redirect.status}`]),
    ...(rewrite?.hostname === undefined ? [] : [`backends see the host ${rewrite.hostname}`]),
    ...(rewrite?.path === undefined
      ? []
      : [`${rewrite.path.type === "full" ? "the path" : rewrite.path.prefix || "/"} becomes ${rewrite.path.path}`]),
    ...mirrors.map(({ upstream, share }) => `${percent(share)} of the requests are copied to ${upstream}`),
  ].map((text) => ["filter", text] as const);
  const isLimit = ([what]: readonly [string, string]) => Number(what !== "filter");
  const all = [...filterWords(filters), ...own].sort((one, other) => isLimit(one) - isLimit(other));
  return all.map(([what, says]) => step(what, says));
}

function weightSteps({ location: { share } }: RouteTaken): AskedStep[] {
  if (share === undefined) return [];
  return [step("weight", `${percent(share)} of the requests for which an Ingress has a path; the others stay there`)];
}

function backendWords({ key, port }: GatewayDecision["backends"][number]["backend"]): string {
  return key === "" ? "no Service" : `Service ${key}, port ${port}`;
}

function endpointWords(endpoints: readonly { readonly address: string; readonly port: number }[]): string {
  if (endpoints.length === 0) return "503, no endpoint is ready";
  return someOf(endpoints.map(({ address, port }) => `${address}:${port}`));
}

function problemSteps(taken: RouteTaken | undefined, problems: readonly Finding[]): AskedStep[] {
  const owner = taken?.location.owner;
  if (owner === undefined) return [];
  const { kind, namespace, name } = owner;
  const own = problems.filter(
    ({ problem: { object } }) => object.kind === kind && object.namespace === namespace && object.name === name,
  );
  return own.map(problemStep);
}

/**
 * Describes the way of a request as steps: the listener or the class, the host, the route with
 * those that were tried before or come after it, guards, backends, the answer.
 */

import { percent } from "../../../core/kinds/measures.ts";
import { conditionWords } from "../../../core/model/condition-words.ts";
import { catchAll, type WeightedBackend } from "../../../core/model/configuration.ts";
import type { Filters } from "../../../core/model/filters.ts";
import { named, sentence } from "../../../core/model/problem.ts";
import { filterWords } from "../../../core/policies/filters.ts";
import type { Decision, GatewayDecision } from "../../matcher/decision.ts";
import { asWritten } from "../../matcher/outranked.ts";
import type { RouteLost, RouteTaken } from "../../matcher/paths.ts";
import { unreadyCounts } from "../../routes/routes.ts";
import type { AskedBackend, AskedCertificate, AskedStep } from "../api/ask.ts";
import { changeSteps, endOf, guardStep, problemStep, someOf, step } from "./steps.ts";
import type { AskedWorld, Finding } from "./world.ts";

/**
 * The most routes that are printed of those that do not get the request. Further routes that were
 * tried first are only counted.
 */
const mostLost = 5;

/** A backend that may get the request. */
export interface SentTo {
  readonly backend: AskedBackend;
  /** Undefined for a canary. */
  readonly own: WeightedBackend | undefined;
}

export interface Way {
  readonly decision: Decision | GatewayDecision;
  readonly scheme: "http" | "https";
  /** Routes that come after the one that gets the request. */
  readonly behind: readonly RouteLost[];
  readonly sent: readonly SentTo[];
  readonly certificate: AskedCertificate | undefined;
  readonly problems: readonly Finding[];
  readonly changes: readonly string[];
  readonly world: Pick<AskedWorld, "flagsOf" | "snapshot" | "failures">;
  readonly now: Date;
}

export function requestSteps(way: Way): readonly AskedStep[] {
  const { decision, behind, sent, problems, changes } = way;
  const { path, guards, end } = decision;
  const taken = path?.kind === "location" ? path : undefined;
  const at = "listener" in decision ? decision : undefined;
  return [
    ...(at === undefined ? [classStep(taken, way.world.flagsOf)] : listenerSteps(at)),
    ...hostSteps(decision),
    ...lostSteps(at?.lost ?? []),
    ...routeSteps(decision),
    ...filterSteps(taken?.location.filters),
    ...behind.slice(0, mostLost).map(lostStep),
    ...(taken === undefined ? [] : weightSteps(taken)),
    ...guards.map(guardStep),
    ...sent.flatMap((one) => backendSteps(one, way)),
    ...failureSteps(taken, way),
    ...certificateSteps(way),
    ...problems.map(problemStep),
    step(
      "answer",
      endOf(
        end,
        sent.map(({ backend }) => backend),
      ),
    ),
    ...changeSteps(changes),
  ];
}

/** Returns the steps of a Gateway that leaves the request to Ingresses on its port. */
export function passedOnSteps({ listener, lost, passedOn = "" }: GatewayDecision): readonly AskedStep[] {
  return [
    step("gateway", `Gateway ${listener.gateway}, listener ${listener.name}: ${passedOn}, so Ingresses are asked`),
    ...lostSteps(lost),
  ];
}

function listenerSteps({ port, listener }: GatewayDecision): AskedStep[] {
  const hostname = listener.hostname === "" ? "all hosts" : listener.hostname;
  return [
    step("gateway", `Gateway ${listener.gateway}, on ${port.address ?? "all addresses"}, port ${port.listenPort}`),
    step("listener", `${listener.name}, for ${hostname}`),
  ];
}

function classStep(taken: RouteTaken | undefined, flagsOf: string): AskedStep {
  const owner = taken?.location.owner;
  return step("class", owner === undefined ? flagsOf : `${named(owner)} is of the class that is served (${flagsOf})`);
}

function hostSteps({ request, host }: Decision): AskedStep[] {
  if (request === undefined || host === undefined) return [];
  const how = {
    name: `${request.host}, by its own name`,
    alias: `${host.server.name}, by its alias ${host.by}`,
    wildcard: `${host.server.name}, which takes ${host.server.listener === undefined ? "one label" : "one or more labels"}`,
    twin: `${host.server.name}, to which ${host.by} redirects`,
    "nothing else":
      host.server.listener === undefined
        ? `no Ingress has ${request.host}, so the catch-all takes it`
        : `no route names ${request.host}, so those for all hosts take it`,
  } as const;
  return [step("host", how[host.how])];
}

function lostSteps(lost: readonly RouteLost[]): AskedStep[] {
  const more = lost.length - mostLost;
  return [
    ...lost.slice(0, mostLost).map(lostStep),
    ...(more > 0 ? [step("not", `${more} more route${more === 1 ? "" : "s"}`)] : []),
  ];
}

const lostStep = (one: RouteLost): AskedStep => step("not", `${routeWords(one)}: ${one.why}`);

function routeSteps({ request, path }: Decision): AskedStep[] {
  if (path?.kind === "location") return [step("route", routeWords(path))];
  if (path?.kind === "nothing") return [step("route", `no path takes ${request?.uri}`)];
  return path?.kind === "unclear" ? [step("route", `the pattern ${path.pattern}`)] : [];
}

const types = { exact: "Exact", prefix: "PathPrefix", pattern: "RegularExpression", regex: "regex", slash: "slash" };
const typesOfIngress = { ...types, prefix: "Prefix", regex: "regular expression", slash: "a slash is added" };

/**
 * Returns, for example, `HTTPRoute shop/web, rule cart: /cart (PathPrefix) with POST, for host
 * *.example.com`.
 */
function routeWords({ server, location: { owner, rule, path }, route }: RouteTaken): string {
  const whose = owner === undefined ? "no Ingress" : named(owner);
  const conditions = conditionWords(route.conditions);
  const host = server.name === catchAll ? "all hosts" : `host ${server.name}`;
  const { match } = asWritten(route, server.routes);
  const type = (server.listener === undefined ? typesOfIngress : types)[match];
  return [
    `${whose}${rule === undefined ? "" : `, rule ${rule}`}: ${path} (${type})`,
    `${conditions === "" ? "" : ` with ${conditions}`}, for ${host}`,
  ].join("");
}

function filterSteps(filters: Filters = {}): AskedStep[] {
  const { redirect, rewrite } = filters;
  const own = [
    ...(redirect === undefined ? [] : [`redirects with ${redirect.status}`]),
    ...(rewrite?.hostname === undefined ? [] : [`backends see the host ${rewrite.hostname}`]),
    ...(rewrite?.path === undefined
      ? []
      : [`${rewrite.path.type === "full" ? "the path" : rewrite.path.prefix || "/"} becomes ${rewrite.path.path}`]),
  ].map((text) => ["filter", text] as const);
  const isLimit = ([what]: readonly [string, string]) => Number(what !== "filter");
  const all = [...filterWords(filters), ...own].sort((one, other) => isLimit(one) - isLimit(other));
  return all.map(([what, says]) => step(what, says));
}

function weightSteps({ location: { share } }: RouteTaken): AskedStep[] {
  if (share === undefined) return [];
  return [step("weight", `${percent(share)} of the requests for which an Ingress has a path; the others stay there`)];
}

function backendSteps({ backend, own }: SentTo, { world }: Way): AskedStep[] {
  const { service, port, share, when, endpoints } = backend;
  const unusable = own?.unusable && sentence(own.unusable);
  const name = service !== "" ? `Service ${service}, port ${port}` : unusable ? "no Service" : "the default backend";
  const unready = unreadyCounts(world.snapshot).get(service) ?? 0;
  const ready = endpoints.length === 0 ? "503, no endpoint is ready" : someOf(endpoints);
  return [
    step(
      "backend",
      `${name}${share === 1 ? "" : `, ${percent(share)} of the requests`}${when === undefined ? "" : ` (${when})`}: ${
        unusable === undefined ? `${ready}${unready === 0 ? "" : `; ${unready} not ready`}` : `500, ${unusable}`
      }`,
    ),
    ...filterSteps(own?.filters),
  ];
}

/** The most endpoints whose last error is printed. */
const mostErrors = 5;

/** Returns the last errors of the endpoints, and the last failed requests of the route. */
function failureSteps(taken: RouteTaken | undefined, { sent, world: { failures } }: Way): AskedStep[] {
  if (failures === undefined || taken === undefined) return [];
  const { server, location } = taken;
  const host = server.name === catchAll && server.listener === undefined ? "*" : server.name;
  const owner = location.owner === undefined ? "/" : `${location.owner.namespace}/${location.owner.name}`;
  const addresses = [...new Set(sent.flatMap(({ backend }) => backend.endpoints))];
  const { errors, requests } = failures.words({ host, owner, path: location.path }, addresses);
  return [...errors.slice(0, mostErrors), ...requests].map((words) => step("failed", words));
}

function certificateSteps({ scheme, certificate, now }: Way): AskedStep[] {
  if (certificate === undefined) return [];
  const { secret, names, expires = "", fits, why = "" } = certificate;
  if (secret === undefined && scheme === "http") return [];
  if (secret === undefined) return [step("certificate", names.length === 0 ? why : `the default one: ${why}`)];
  const past = new Date(expires) < now ? ", which is past" : "";
  const misfit = fits ? "" : "; the host is not among them";
  return [
    step("certificate", `Secret ${secret}, for ${names.join(", ")}, until ${expires.slice(0, 10)}${past}${misfit}`),
  ];
}

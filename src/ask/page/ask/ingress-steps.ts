/**
 * Describes the way of a request at the ports of Ingresses, as steps in the order in which nginx
 * takes them.
 */

import { backendOf } from "../../../core/model/location.ts";
import { named } from "../../../core/model/problem.ts";
import type { Decision } from "../../matcher/decision.ts";
import { asWritten } from "../../matcher/outranked.ts";
import type { ServedRoute } from "../../routes/routes.ts";
import type { AskedBackend, AskedCertificate, AskedRoute, AskedStep, LostRoute } from "../api/ask.ts";
import { changeSteps, endOf, guardStep, problemStep, someOf, step } from "./steps.ts";
import type { Finding } from "./world.ts";

/** The most routes that are named of those that come after the one that gets the request. */
const mostLost = 5;

export interface IngressWay {
  readonly decision: Decision;
  readonly scheme: "http" | "https";
  readonly lost: readonly LostRoute[];
  /** The backends that may get the request, with their probabilities. */
  readonly backends: readonly AskedBackend[];
  /** The routes of the host, with endpoints that are not ready and the rules of canaries. */
  readonly routes: readonly ServedRoute[];
  readonly certificate: AskedCertificate | undefined;
  readonly problems: readonly Finding[];
  readonly changes: readonly string[];
  /** The flags that decide which class is served, in words. */
  readonly flagsOf: string;
}

export function ingressSteps(way: IngressWay, now: Date): readonly AskedStep[] {
  const { decision, lost, problems, changes } = way;
  return [
    ...classSteps(way),
    ...hostSteps(decision),
    ...routeSteps(decision),
    ...lost.slice(0, mostLost).map((one) => step("not", `${routeWords(one)}: ${one.why}`)),
    ...decision.guards.map(guardStep),
    ...backendSteps(way),
    ...certificateSteps(way, now),
    ...problems.map(problemStep),
    step("answer", endOf(decision.end, way.backends)),
    ...changeSteps(changes),
  ];
}

const kinds = {
  exact: "Exact",
  prefix: "Prefix",
  regex: "regular expression",
  pattern: "RegularExpression",
  slash: "a slash is added",
  name: "by its name",
} as const;

function routeWords({ owner, path, match }: Pick<AskedRoute, "owner" | "path" | "match">): string {
  return `${path} (${kinds[match]}), ${owner === undefined ? "of no Ingress" : named(owner)}`;
}

function classSteps({ decision, flagsOf }: IngressWay): AskedStep[] {
  const owner = decision.path?.kind === "location" ? decision.path.location.owner : undefined;
  if (owner === undefined) return [step("class", flagsOf)];
  return [step("class", `${named(owner)} is of the class that is served (${flagsOf})`)];
}

function hostSteps({ request, host }: Decision): AskedStep[] {
  if (request === undefined || host === undefined) return [];
  const how = {
    name: `${request.host}, by its own name`,
    alias: `${host.server.name}, by its alias ${host.by}`,
    wildcard: `${host.server.name}, which takes one label`,
    twin: `${host.server.name}, to which ${host.by} redirects`,
    "nothing else": `no Ingress has ${request.host}, so the catch-all takes it`,
  } as const;
  return [step("host", how[host.how])];
}

function routeSteps({ request, host, path }: Decision): AskedStep[] {
  if (path === undefined || path.kind === "elsewhere") return [];
  if (path.kind === "nothing") return [step("route", `no path takes ${request?.uri}`)];
  if (path.kind === "unclear") return [step("route", `the pattern ${path.pattern}`)];
  const { location, route } = path;
  const { match } = asWritten(route, host?.server.routes ?? []);
  return [step("route", routeWords({ path: location.path, match, ...(location.owner && { owner: location.owner }) }))];
}

function backendSteps({ decision: { path, end }, routes }: IngressWay): AskedStep[] {
  if (path?.kind !== "location") return [];
  const { owner } = path.location;
  const { service, port, key } = backendOf(path.location);
  if (service === "" || owner === undefined) return [];
  const found = routes.find(
    (one) => one.path === path.location.path && one.ingress === `${owner.namespace}/${owner.name}`,
  );
  const ready = found?.endpoints ?? [];
  const notReady = (found?.notReady ?? 0) > 0 ? `; ${found!.notReady} not ready` : "";
  const canaries = end.kind === "proxied" ? (found?.canaries ?? []) : [];
  return [
    step("Service", key),
    step("port", port),
    step("endpoints", ready.length === 0 ? `none is ready${notReady}` : `${someOf(ready)}${notReady}`),
    ...canaries.map((one) => step("canary", `${one.service}: ${one.when}`)),
  ];
}

function certificateSteps({ scheme, certificate }: IngressWay, now: Date): AskedStep[] {
  if (certificate === undefined) return [];
  const { secret, names, expires = "", fits, why } = certificate;
  if (secret === undefined) return scheme === "https" ? [step("certificate", `the default one: ${why}`)] : [];
  const past = new Date(expires) < now ? ", which is past" : "";
  const misfit = fits ? "" : "; the host is not among them";
  return [
    step("certificate", `Secret ${secret}, for ${names.join(", ")}, until ${expires.slice(0, 10)}${past}${misfit}`),
  ];
}

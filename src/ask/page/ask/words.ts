/** Makes the parts of an answer that requests for Ingresses and for Gateways have in common. */

import { conditionWords } from "../../../core/model/condition-words.ts";
import {
  type Certificate,
  type Configuration,
  defaultUpstream,
  type Owner,
} from "../../../core/model/configuration.ts";
import { named, unplaced } from "../../../core/model/problem.ts";
import type { End } from "../../matcher/decision.ts";
import { asWritten } from "../../matcher/outranked.ts";
import type { RouteLost, RouteTaken } from "../../matcher/paths.ts";
import type { AskedBackend, AskedCertificate, AskedEnd, AskedProblem, AskedRoute, LostRoute } from "../api/ask.ts";
import { withoutCredentials } from "../shown.ts";
import type { Finding } from "./world.ts";

/** The most routes that are listed of those that do not get the request. */
export const mostLost = 20;

export function routeOf({ server, location, route }: RouteTaken): AskedRoute {
  const { owner, rule, path } = location;
  return {
    ...(owner === undefined ? {} : { owner: objectOf(owner) }),
    ...(rule === undefined ? {} : { rule }),
    host: server.name,
    path,
    match: asWritten(route, server.routes).match,
    when: conditionWords(route.conditions),
  };
}

const objectOf = ({ kind, namespace, name }: Owner) => ({ kind, namespace, name });

export const lostOf = (lost: RouteLost): LostRoute => ({ ...routeOf(lost), why: lost.why });

/** Reads an Upstream's id, such as `shop/web/80` or `shop/web-canary/80 for shop/web/80`. */
export function backendOf(id: string): Pick<AskedBackend, "service" | "port"> {
  const [, service = "", port = ""] = /^([^/]+\/[^/]+)\/([^/ ]+)/.exec(id) ?? [];
  return id === defaultUpstream ? { service: "", port: "" } : { service, port };
}

export function askedEnd(end: End): AskedEnd {
  if (end.kind !== "proxied") return end;
  const { kind, standsIn, rewritten } = end;
  return { kind, standsIn, ...(rewritten === undefined ? {} : { rewritten }) };
}

export function askedProblem({ severity, at, problem }: Finding): AskedProblem {
  const place = at === undefined ? {} : { at: `${at.file}:${at.line}:${at.column}` };
  return { severity, object: named(problem.object), sentence: withoutCredentials(unplaced(problem)), ...place };
}

/**
 * Returns undefined if there is no Certificate with this id, so that clients get the default
 * one.
 */
export function certificateOf(
  id: string | undefined,
  { certificates }: Pick<Configuration<unknown, unknown>, "certificates">,
  host: string,
): AskedCertificate | undefined {
  const found: Certificate | undefined = id === undefined ? undefined : certificates.get(id);
  if (found === undefined) return undefined;
  const { names, notAfter } = found;
  const above = host.replace(/^[^.]+/, "*");
  return {
    secret: found.id,
    names,
    expires: notAfter.toISOString(),
    fits: names.some((name) => name === host || name === above),
  };
}

/** Returns the Problems of these objects, which are compared by kind, namespace and name. */
export function problemsOf(
  findings: readonly Finding[],
  objects: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[],
): readonly Finding[] {
  return findings.filter(({ problem: { object } }) =>
    objects.some((one) => one.kind === object.kind && one.namespace === object.namespace && one.name === object.name),
  );
}

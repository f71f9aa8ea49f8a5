/**
 * Proves that routes have the same effect as the Ingresses had. Requests are derived from the paths
 * of each host and decided under both Configurations, and every field of their effects is compared.
 */

import type { AskedRequest } from "../../ask/matcher/request.ts";
import { catchAll, type Server } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { type Difference, type DifferenceKind, differenceKinds } from "./difference.ts";
import { annotationsOfField, type Effect, type World } from "./effect.ts";
import { effectsOfIngresses } from "./of-ingresses.ts";
import { effectsOfRoutes } from "./of-routes.ts";
import { passedAnswer } from "./passed-on.ts";
import { pathsOfAll, probesOf } from "./probes.ts";

export interface Proof {
  readonly hosts: number;
  readonly requests: number;
  readonly differences: readonly Difference[];
  /** Requests for which no difference was found. */
  readonly alike: readonly Alike[];
}

export interface Alike {
  readonly host: string;
  readonly asked: AskedRequest;
  /**
   * Whether the request would also reach an auth service or a mirror, would count against a limit,
   * or is TLS that passes through, which the stand-ins of backends do not support.
   */
  readonly outside: boolean;
  /** Whether weights choose its backend. */
  readonly drawn: boolean;
  /** Whether no rule has the path. Then guards and headers of the 404 are not compared. */
  readonly unruled: boolean;
}

/**
 * False for hosts whose Ingresses stay. They are compared, because settings of other Ingresses for
 * their Services may be lost, but no requests for them are sent to nginx.
 */
export type IsConverted = (host: string) => boolean;

export function prove(ofIngresses: World, ofRoutes: World, isConverted: IsConverted): Proof {
  const servers = [...ofIngresses.served.servers.values()].filter(({ listener }) => listener === undefined);
  let requests = 0;
  const alike: Alike[] = [];
  const everywhere = pathsOfAll(servers);
  const ofStrangers = pathsOfAll(servers.filter(({ name }) => name === catchAll));
  const differences = servers.flatMap((server) => {
    const found = new Map<string, Difference>();
    // A route that takes too many hosts is seen at one that no Ingress has. A host below a wildcard
    // with more labels is such a host, too.
    const others = server.name === catchAll ? everywhere : server.name.startsWith("*.") ? ofStrangers : [];
    for (const asked of probesOf(server, ofIngresses.served.settings, others)) {
      requests += 1;
      const [now, after] = effectsOf(asked, ofIngresses, ofRoutes);
      const different = differencesOf(server, asked, now, after, ofIngresses);
      if (different.length === 0 && now !== undefined && isConverted(server.name))
        alike.push(alikeOf(server, asked, now));
      for (const one of different) {
        const key = JSON.stringify([one.kind, one.field]);
        const known = found.get(key);
        found.set(key, known === undefined ? one : { ...known, more: known.more + 1 });
      }
    }
    return [...found.values()];
  });
  return { hosts: servers.length, requests, differences, alike };
}

/**
 * Returns the effects of Ingresses and of routes on a request. If several effects count as
 * equal, it returns two that agree, if there are such. Returns undefined if only nginx can
 * decide.
 */
export function effectsOf(
  asked: AskedRequest,
  ofIngresses: World,
  ofRoutes: World,
): readonly [Effect | undefined, Effect | undefined] {
  const all = effectsOfIngresses(ofIngresses, asked) ?? [];
  const others = effectsOfRoutes(ofRoutes, asked) ?? [];
  const answerOf = (effect: Effect) => effect.get("answer");
  for (const now of all) {
    const after = others.find((one) => answerOf(one) === answerOf(now));
    if (after !== undefined) return [now, after];
  }
  return [all[0], others[0]];
}

function alikeOf({ name }: Server<FeatureValues>, asked: AskedRequest, now: Effect): Alike {
  const isPassed = now.get("answer") === passedAnswer;
  const outside =
    isPassed || ["guard external-auth", "guard rate-limits"].some((guard) => now.has(guard)) || isCopied(now);
  return {
    host: name,
    asked,
    outside,
    drawn: (now.get("backends") ?? "").includes(", "),
    unruled: now.get("answer") === "404",
  };
}

function isCopied(now: Effect): boolean {
  const mirror = now.get("feature mirror");
  return mirror !== undefined && !mirror.includes('"target":""');
}

function differencesOf(
  server: Server<FeatureValues>,
  asked: AskedRequest,
  now: Effect | undefined,
  after: Effect | undefined,
  ofIngresses: World,
): readonly Difference[] {
  if (now === undefined || after === undefined) return [difference(server, asked, "unclear", "answer", "", "")];
  const both = { now, after, ofIngresses };
  const field = (name: string): Difference | undefined => {
    const [before = "", then = ""] = [now.get(name), after.get(name)];
    if (before === then) return undefined;
    return difference(server, asked, kindOf(name, server, asked, both), name, before, then);
  };
  const answer = field("answer");
  if (answer !== undefined) return [answer];
  const names = [...new Set([...now.keys(), ...after.keys()])];
  return names.flatMap((name) => field(name) ?? []);
}

interface Both {
  readonly now: Effect;
  readonly after: Effect;
  readonly ofIngresses: World;
}

function kindOf(
  field: string,
  server: Server<FeatureValues>,
  asked: AskedRequest,
  { now, after, ofIngresses }: Both,
): DifferenceKind {
  const isFake =
    now.get("certificate") === ofIngresses.served.defaultCertificate.id && !now.get("certificate")!.includes("/");
  if (isFake && (field === "certificate" || after.get("certificate") === now.get("certificate")))
    return "fake-certificate";
  const isDeeper = isTooDeep(server, asked.host);
  if (isDeeper) return "wildcard-depth";
  const isSlash = after.get("answer") === `${now.get("answer")}/`;
  if (field === "answer" && isSlash) return "redirect-slash";
  if (field === "answer" && withoutScheme(after.get("answer")) === withoutScheme(now.get("answer")))
    return "redirect-scheme";
  if (field === "answer") return isAlias(server, asked.host) ? "alias" : "answer";
  if (field === "certificate" || field === "path") return field;
  if (field === "path of the cookie") return isPattern(now.get(field)) ? "cookie-path" : "balance";
  if (field.startsWith("balance ")) return "balance";
  if (field === "feature backend-protocol") return "backend-protocol";
  if (field.startsWith("backend")) return "backend";
  return field.startsWith("feature ") || field.startsWith("guard ") ? "annotation" : "answer";
}

const withoutScheme = (answer = ""): string => answer.replace(/^(\d+ )https?:/, "$1");
const isPattern = (path = ""): boolean => /[[\](){}|^$*+?\\]/.test(path);

/** Whether the host has more labels than the wildcard takes. */
function isTooDeep({ name }: Server<FeatureValues>, host: string): boolean {
  return name.startsWith("*.") && host.split(".").length > name.split(".").length;
}

const isAlias = ({ name, redirectFrom }: Server<FeatureValues>, host: string): boolean =>
  name !== catchAll && !name.startsWith("*.") && host !== name && host !== redirectFrom?.name;

function difference(
  { name }: Server<FeatureValues>,
  { method, scheme, host, target, headers }: AskedRequest,
  kind: DifferenceKind,
  field: string,
  now: string,
  after: string,
): Difference {
  const sent = [...headers].map(([key, value]) => ` -H '${key}: ${value}'`).join("");
  const { why, todo } = differenceKinds[kind];
  return {
    kind,
    host: name === catchAll ? "all other hosts" : name,
    request: `${method} ${scheme}://${host}${target}${sent}`,
    more: 0,
    field,
    now,
    after,
    annotations: annotationsOfField(field),
    why,
    todo,
  };
}

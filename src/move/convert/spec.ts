/**
 * Decides which annotations of an Ingress become RouteSettings, and which ones become fields of the
 * Gateway API.
 */

import type { Location, Server } from "../../core/model/configuration.ts";
import type { Ingress } from "../../core/model/objects.ts";
import { type Problem, sentence } from "../../core/model/problem.ts";
import { whyNotOnRoutes } from "../../core/policies/on-routes.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";

/** Names of annotations without prefix, and their values. */
export type Spec = Readonly<Record<string, string>>;

/**
 * Annotations that become fields of the Gateway API, hostnames, or the result of `redirectSpec`.
 */
const standard: ReadonlySet<string> = new Set([
  ...["canary", "canary-by-header", "canary-by-header-value", "canary-by-header-pattern", "canary-by-cookie"],
  ...["canary-weight", "canary-weight-total"],
  ...["rewrite-target", "use-regex", "server-alias", "app-root", "from-to-www-redirect", "ssl-passthrough"],
  ...["ssl-redirect", "force-ssl-redirect"],
]);

/** Returns the part of a spec whose keys are wanted. */
export function picked(spec: Spec, isWanted: (key: string) => boolean): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => isWanted(key)));
}

export interface OwnAnnotations {
  /** The spec for the rules of its paths. */
  readonly spec: Spec;
  /**
   * Sentences about annotations that are left out, each with the reason. They do not name the
   * Ingress.
   */
  readonly leftOut: readonly string[];
}

/**
 * Turns the annotations of an Ingress into a spec. Annotations without an effect today are left
 * out: unknown names, and values that cannot be read.
 */
export function annotationsOf(ingress: Ingress, prefix: string, problems: readonly Problem[]): OwnAnnotations {
  const spec: Record<string, string> = {};
  const dead = new Map(problems.flatMap((problem) => deadKey(problem)));
  const leftOut: string[] = [];
  for (const [name, value] of Object.entries(ingress.metadata.annotations ?? {}).sort(byName)) {
    if (!name.startsWith(`${prefix}/`)) continue;
    const key = name.slice(prefix.length + 1);
    // An empty annotation usually has no meaning. If it has one, there is a Problem.
    if (value === "" && !problems.some((problem) => "key" in problem && problem.key === key)) continue;
    const why = dead.get(key);
    if (why !== undefined) leftOut.push(why);
    if (why !== undefined || standard.has(key)) continue;
    const unserved = whyNotOnRoutes(key);
    if (unserved === undefined) spec[key] = value;
    else leftOut.push(`annotation ${key} is nothing for routes: ${unserved}`);
  }
  return { spec, leftOut };
}

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]): number => (one < other ? -1 : 1);

/** Returns the key and the sentence of a Problem that says that the annotation has no effect. */
function deadKey(problem: Problem): (readonly [string, string])[] {
  switch (problem.kind) {
    case "annotation-unknown":
    case "annotation-removed":
      return [[problem.key, sentence(problem)]];
    case "annotation-useless":
      // Other annotations without an effect are converted, because they may get one when another
      // annotation is changed.
      return standard.has(problem.key) ? [[problem.key, sentence(problem)]] : [];
    case "annotation-unreadable":
      return problem.done === "default" ? [[problem.key, sentence(problem)]] : [];
    default:
      return [];
  }
}

/**
 * Returns the redirect to https of a Location: the same answer as today, which a RequestRedirect
 * gives only without `$redirect_uri`.
 */
export function redirectSpec(
  server: Pick<Server<FeatureValues>, "tlsConfigured">,
  { path, features, ownTls }: Location<FeatureValues>,
  { noTlsRedirectLocations }: Settings,
): Spec {
  const { always, whenConfigured } = features.sslRedirect;
  const isMeant = always || (whenConfigured && (server.tlsConfigured || ownTls === true));
  const isLeftOut = noTlsRedirectLocations.some((prefix) => path.startsWith(prefix));
  return isMeant && !isLeftOut ? { "force-ssl-redirect": "true" } : {};
}

/**
 * Returns the settings of the ConfigMap that hold for Ingresses alone, as the spec for a whole
 * Gateway.
 */
export function gatewaySpec(ofIngresses: FeatureValues, ofRoutes: FeatureValues): Spec {
  const { requestBody, customErrors } = ofIngresses;
  const codes = customErrors.codes.join(",");
  const { most, buffering } = requestBody;
  return {
    ...(most === ofRoutes.requestBody.most ? {} : { "proxy-body-size": most }),
    ...(buffering === ofRoutes.requestBody.buffering ? {} : { "proxy-request-buffering": buffering }),
    ...(codes === ofRoutes.customErrors.codes.join(",") ? {} : { "custom-http-errors": codes }),
  };
}

/** Keys whose values may name an object of another namespace, with its kind. */
export const referring: Readonly<Record<string, "Secret" | "ConfigMap">> = {
  "auth-secret": "Secret",
  "auth-tls-secret": "Secret",
  "proxy-ssl-secret": "Secret",
  "auth-proxy-set-headers": "ConfigMap",
  "custom-headers": "ConfigMap",
  "fastcgi-params-configmap": "ConfigMap",
};

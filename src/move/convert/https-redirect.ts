/**
 * Converts the http side of a host that redirects to https. If nothing would answer before the
 * redirect, one rule redirects all paths, and the other rules stand only in the route of the https
 * listeners.
 */

import type { Server } from "../../core/model/configuration.ts";
import { holds } from "../../core/policies/hooks.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { redirectsAway } from "../../core/policies/rewrite/declaration.ts";
import type { DraftRule } from "./rules.ts";
import { picked } from "./spec.ts";

const force = "force-ssl-redirect";

/** Whether the key is about the redirect itself. */
const ofRedirect = (key: string): boolean =>
  [force, "preserve-trailing-slash", "use-port-in-redirects", "custom-headers", "proxy-body-size"].includes(key);

export interface Sides {
  readonly secure: readonly DraftRule[];
  readonly plain: readonly DraftRule[];
}

/** Returns undefined if http does more than redirect. */
export function redirectedSides(server: Server<FeatureValues>, rules: readonly DraftRule[]): Sides | undefined {
  const answers = rules.filter(isAnswer);
  const others = rules.filter((rule) => !isAnswer(rule));
  const specs = new Set(others.map(({ spec }) => JSON.stringify(picked(spec, ofRedirect))));
  const [first] = others;
  const isAlike = specs.size === 1 && first?.spec[force] === "true";
  const namespaces = new Set(server.locations.flatMap(({ owner }) => owner?.namespace ?? []));
  if (!isAlike || namespaces.size > 1 || server.locations.some(answersBefore)) return undefined;
  const redirect: DraftRule = {
    ...first,
    matches: [{ path: { type: "PathPrefix", value: "/" } }],
    filters: [],
    backendRefs: others
      .at(-1)!
      .backendRefs.slice(0, 1)
      .map(({ weight: _, ...one }) => one),
    spec: picked(first.spec, ofRedirect),
    part: "to-https",
    comments: ["http is redirected to https, so the backend gets no request"],
  };
  const secure = rules.map((rule) => ({ ...rule, spec: picked(rule.spec, (key) => key !== force) }));
  return { secure, plain: [...answers, redirect] };
}

/**
 * Whether a rule sends nothing to a backend: it answers by a filter, or is the rule of app-root.
 */
const isAnswer = ({ filters, spec }: DraftRule): boolean =>
  filters.some(({ type }) => type === "RequestRedirect") || "permanent-redirect" in spec;

/** Whether nginx answers the path itself before it would redirect to https. */
function answersBefore({ features, closed, path }: Server<FeatureValues>["locations"][number]): boolean {
  return (
    closed !== undefined ||
    holds("mayAnswer", features, "location") ||
    redirectsAway(features) ||
    path.startsWith("/.well-known/")
  );
}

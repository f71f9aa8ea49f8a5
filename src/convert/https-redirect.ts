/**
 * The http side of a host that is redirected to https. Where nothing else would answer there
 * before, one rule for all paths redirects, and the rules themselves stand only in the route of the
 * https listeners.
 */
import type { FeatureValues } from "../annotations/registry.ts";
import { isElsewhere } from "../kinds/rewrite-target.ts";
import type { Server } from "../model/configuration.ts";
import type { DraftRule } from "./rules.ts";
import type { Spec } from "./spec.ts";

const force = "force-ssl-redirect";

/** Keys that say something about the redirect itself. */
const ofRedirect = (key: string): boolean =>
  [force, "preserve-trailing-slash", "use-port-in-redirects", "custom-headers", "proxy-body-size"].includes(key);

export interface Sides {
  readonly secure: readonly DraftRule[];
  readonly plain: readonly DraftRule[];
}

/** Undefined where http does more than redirect. */
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
    backendRefs: others.at(-1)!.backendRefs,
    spec: picked(first.spec, ofRedirect),
    comments: ["http is redirected to https, so the backend gets no request"],
  };
  const secure = rules.map((rule) => ({ ...rule, spec: picked(rule.spec, (key) => key !== force) }));
  return { secure, plain: [...answers, redirect] };
}

/** A rule that sends nothing to a backend: by a filter, or as the one of app-root. */
const isAnswer = ({ filters, spec }: DraftRule): boolean =>
  filters.some(({ type }) => type === "RequestRedirect") || "permanent-redirect" in spec;

/** Tells whether nginx answers the path itself before it would redirect to https. */
function answersBefore({ features, closed, path }: Server<FeatureValues>["locations"][number]): boolean {
  const { redirects, cors, configurationSnippet, rewrite } = features;
  return (
    closed !== undefined ||
    redirects.elsewhere !== undefined ||
    cors.enabled ||
    configurationSnippet.text !== "" ||
    isElsewhere(rewrite.target) ||
    path.startsWith("/.well-known/")
  );
}

function picked(spec: Spec, isWanted: (key: string) => boolean): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => isWanted(key)));
}

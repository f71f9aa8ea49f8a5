/** Features that hold for a host as a whole: of the Ingresses that speak for it, one is heard about each. */
import { unannotated } from "../../annotations/read.ts";
import { type FeatureValues, featureList } from "../../annotations/registry.ts";
import { catchAll } from "../../model/configuration.ts";
import type { Problem } from "../../problem.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../claim.ts";
import type { HostOwner } from "./owner.ts";

const hostScoped = featureList.filter(([, { provides }]) => provides !== undefined);

/** Of each the value of the oldest Ingress that says something (RS-3.5). `all`: those that are heard, with the canaries, oldest first. */
export function hostFeatures(all: readonly Claim[], settings: Settings): FeatureValues {
  const plain = unannotated(settings);
  if (all.every(({ values }) => values === plain)) return plain;
  const heard: Record<string, unknown> = {};
  for (const [name, { provides, ofCanaries = false }] of hostScoped) {
    const speaker = all.find(({ values }) => (ofCanaries || values.canary === undefined) && provides!(values[name]));
    if (speaker !== undefined) heard[name] = speaker.values[name];
  }
  return Object.keys(heard).length === 0 ? plain : { ...plain, ...heard };
}

/** What becomes of features that need a server block of their own. */
export interface Hostless {
  /** Whether one of them guards what this Ingress says: then its paths are closed instead. */
  readonly closes: (claim: Claim) => boolean;
  readonly problems: readonly Problem[];
}

const unconcerned: Hostless = { closes: () => false, problems: [] };

/**
 * The catch-all cannot be a server block of its own, so what needs one has no effect there (client certificates for rules without a
 * host). A snippet with a path in it closes its own Ingress's paths alone.
 */
export function hostlessOf(host: string, claims: readonly Claim[], { hears }: HostOwner): Hostless {
  if (host !== catchAll) return unconcerned;
  const meant = hostScoped.flatMap(([name, feature]) =>
    claims
      .filter((claim) => hears(claim) && feature.textServer?.(claim.values[name]) === true)
      .map(({ object }) => ({ object, feature })),
  );
  const withPath = claims.filter(({ values }) => values.configurationSnippet.needsPath);
  const isGuarded = meant.some(({ feature }) => feature.guard === true);
  return {
    closes: (claim) => isGuarded || withPath.includes(claim),
    problems: [
      ...meant.map(({ object, feature }) =>
        useless(
          object,
          `${feature.name} needs a host, and a rule has none`,
          feature.guard === true ? "paths without a host answer 503" : "it has no effect there",
        ),
      ),
      ...withPath.map(({ object }) =>
        useless(
          object,
          "configuration-snippet has a location or an alias in it, which needs a host, and a rule has none",
          "the Ingress's paths without a host answer 503",
        ),
      ),
    ],
  };
}

function useless(object: Claim["object"], why: string, done: string): Problem {
  return { object, kind: "field-unusable", field: "spec.rules", why, done };
}

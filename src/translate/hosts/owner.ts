/**
 * Whose a host is. Paths of several namespaces may stand on one host, but what holds for the host as a whole is said by the namespace of its oldest
 * Ingress alone: a younger one of another namespace would else change what the first one serves. What guards and is not heard closes the paths
 * that it was to guard.
 */
import type { Fields } from "../../annotations/declare.ts";
import { type FeatureValues, featureList } from "../../annotations/registry.ts";
import { named, type Problem } from "../../problem.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../claim.ts";
import { shownHost } from "./shown-host.ts";

export interface HostOwner {
  /** Its oldest Ingress that is no canary; undefined where there is none. */
  readonly oldest: Claim | undefined;
  /** Whether this Ingress is heard about the host as a whole. */
  readonly hears: (claim: Claim) => boolean;
  /** Why another is not. */
  readonly why: string;
}

/** `claims` are those of the host but canaries, oldest first. */
export function hostOwner(host: string, claims: readonly Claim[], settings: Settings): HostOwner {
  const [oldest] = claims;
  const anyone = oldest === undefined || settings.allowCrossNamespaceHostSettings;
  return {
    oldest,
    hears: (claim) => anyone || claim.object.namespace === oldest.object.namespace,
    why: oldest === undefined ? "" : whyNot(host, oldest),
  };
}

function whyNot(host: string, { object }: Claim): string {
  const whose =
    host === "_" ? "what holds for all rules without a host" : `what holds for the whole host ${shownHost(host)}`;
  return `${whose} is said by the namespace of the oldest Ingress there, ${named(object)}`;
}

const hostScoped = featureList.filter(([, { provides }]) => provides !== undefined);

export interface Unheard {
  /** Whether something that was to guard its paths is not heard, nor said by the owner. */
  readonly closes: (claim: Claim) => boolean;
  readonly problems: readonly Problem[];
}

/** `heard` is what is said of the host as a whole; `all` are the Ingresses of the host, canaries as well. */
export function unheardOf(owner: HostOwner, all: readonly Claim[], heard: FeatureValues, prefix: string): Unheard {
  const closed = new Set<Claim>();
  const problems: Problem[] = [];
  for (const claim of all) {
    if (owner.hears(claim)) continue;
    const isCanary = claim.values.canary !== undefined;
    for (const [name, { provides, guard, fields, ofCanaries }] of hostScoped) {
      const value = claim.values[name];
      if (!provides!(value) || (isCanary && ofCanaries !== true) || same(value, heard[name])) continue;
      const key = keyIn(claim, fields, prefix);
      const isClosed = guard === true && !isCanary && !provides!(heard[name]);
      if (isClosed) closed.add(claim);
      const { object } = claim;
      const { why } = owner;
      if (!isClosed) problems.push({ object, kind: "annotation-useless", key, why });
      else {
        const done = "its paths there answer 503";
        problems.push({ object, kind: "field-unusable", field: `annotation ${key}`, why, done });
      }
    }
  }
  return { closes: (claim) => closed.has(claim), problems };
}

/** Two Ingresses that say the same agree about the host. */
function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** The annotation by which the Ingress says it. */
function keyIn({ ingress }: Claim, fields: Fields, prefix: string): string {
  const keys = Object.values(fields).map(({ key }) => key);
  return keys.find((key) => ingress.metadata.annotations?.[`${prefix}/${key}`] !== undefined) ?? keys[0]!;
}

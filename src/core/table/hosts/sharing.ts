/**
 * Keeps namespaces that share a host apart: settings that hold beside its paths, and the order of
 * paths.
 */

import { named, type Problem } from "../../model/problem.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { type Draft, isRoot } from "./draft.ts";
import type { HostOwner } from "./owner.ts";
import { shownHost } from "./shown-host.ts";

export interface AppRoot {
  readonly appRoot: string | undefined;
  readonly problems: readonly Problem[];
}

/**
 * Returns the app-root of a host. If several Claims set it, the one with the longest path wins
 * (RS-12.3). Only the Claim with the path `/`, and the namespace of the host's oldest Claim, may
 * redirect `/`.
 */
export function appRootOf(host: string, drafts: readonly Draft[], owner: HostOwner): AppRoot {
  const withRoot = drafts.filter(({ location }) => location.features.appRoot.path !== "");
  if (withRoot.length === 0) return { appRoot: undefined, problems: [] };
  const root = drafts.find(({ path }) => path.path === "/" && path.implicit !== true)?.claim;
  const mayRedirect = ({ claim }: Draft) =>
    claim === undefined || owner.mayDecide(claim) || claim.owner.namespace === root?.owner.namespace;
  const redirecting = withRoot.filter(mayRedirect);
  const longest = Math.max(...redirecting.map(({ path }) => path.path.length));
  const strangers = new Set(
    withRoot.flatMap((draft) => (mayRedirect(draft) || draft.claim === undefined ? [] : [draft.claim])),
  );
  const rest = host === "_" ? "requests for / without a host" : `requests for / of host ${shownHost(host)}`;
  const why = `${rest} belong to ${named((root ?? owner.oldest)!.owner)}`;
  return {
    appRoot: redirecting.find(({ path }) => path.path.length === longest)?.location.features.appRoot.path,
    problems: [...strangers].map(({ owner: object }) => ({ object, kind: "annotation-useless", key: "app-root", why })),
  };
}

/**
 * Returns the Problem of a host whose TLS cannot pass through: it would go to the Service of `/`,
 * which is in another namespace than the object with ssl-passthrough.
 */
export function strangersRoot(
  host: string,
  { sslPassthrough }: FeatureValues,
  drafts: readonly Draft[],
  { mayDecide, oldest }: HostOwner,
): Problem[] {
  const root = drafts.find(isRoot)?.claim;
  if (!sslPassthrough.on || root === undefined || oldest === undefined || mayDecide(root)) return [];
  const why = `the path / of host ${shownHost(host)} belongs to ${named(root.owner)}, whose Service would get all its TLS connections`;
  return [{ object: oldest.owner, kind: "annotation-useless", key: "ssl-passthrough", why }];
}

/**
 * Reports paths that come later than their length suggests. `displaced` has such Locations, each
 * with the Location of another namespace that comes before it.
 */
export function comingLater(host: string, drafts: readonly Draft[], displaced: ReadonlyMap<number, number>): Problem[] {
  return [...displaced].flatMap(([at, before]): Problem[] => {
    const [{ claim, field }, older] = [drafts[at]!, drafts[before]!];
    if (claim === undefined || older.claim === undefined) return [];
    const why = `it would take requests from path ${older.path.path} of host ${shownHost(host)}, which the older ${named(older.claim.owner)} has`;
    return [{ object: claim.owner, kind: "claim-lost", field, why, done: "that path comes before it" }];
  });
}

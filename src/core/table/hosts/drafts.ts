/**
 * Makes the Locations of a host before canaries are added: one for each path, from the oldest Claim
 * that has it, and one for `/` if no Claim has that path.
 */
import { catchAll } from "../../model/configuration.ts";
import { named, type Problem } from "../../model/problem.ts";
import type { Claim } from "../claim.ts";
import { BackendUses } from "../upstreams/backend-uses.ts";
import type { UpstreamUse } from "../upstreams/balance.ts";
import type { World } from "../world.ts";
import { ClaimedPaths } from "./claimed-paths.ts";
import { guardedByOldest, literalPatterns, pathless } from "./doubts.ts";
import { type Draft, defaultRoot, implicitRoot, isRoot, unownedRoot } from "./draft.ts";
import { usablePatterns } from "./host-patterns.ts";
import { isRegexHost } from "./path-routes.ts";

export interface Drafts {
  readonly drafts: readonly Draft[];
  readonly uses: readonly UpstreamUse[];
  readonly problems: readonly Problem[];
}

/** Makes the drafts. `claims` are those of the host without canaries, oldest first. */
export function draftsOf(host: string, claims: readonly Claim[], world: World): Drafts {
  const problems: Problem[] = [];
  const uses = new BackendUses(world, problems);
  const paths = new ClaimedPaths(host, uses, world, problems);
  for (const claim of claims) {
    for (const path of claim.hosts.get(host) ?? []) paths.add(claim, path);
    uses.ofStandIn(claim);
  }
  const together = world.settings.allowCrossNamespaceHostSettings;
  const written = together ? paths.drafts.map(withoutNamespace) : paths.drafts;
  const patterns = usablePatterns(written, world);
  const { drafts, namespaces } = patterns;
  const isPlain = ({ owner }: Claim) => !namespaces.has(together ? undefined : owner.namespace);
  const plain = namespaces.size === 0 ? claims : claims.filter(isPlain);
  problems.push(...patterns.problems, ...literalPatterns(host, plain, world));
  return { drafts: withRoot(drafts, host, claims, world, uses, problems), uses: uses.all, problems };
}

function withoutNamespace(draft: Draft): Draft {
  return { ...draft, path: { ...draft.path, namespace: undefined } };
}

/** Whether a pattern takes every request, so that none gets to the `/` behind it. */
function takeAll(drafts: readonly Draft[]): boolean {
  const paths = drafts.map(({ path }) => path);
  return isRegexHost(paths) && paths.some(({ path }) => /^\/\??(?:\.\*|\(\.\*\))\$?$/.test(path));
}

/** Adds the `/` that a host gets without a rule for it. */
function withRoot(
  drafts: readonly Draft[],
  host: string,
  claims: readonly Claim[],
  world: World,
  uses: BackendUses,
  problems: Problem[],
): readonly Draft[] {
  const { settings } = world;
  const usedDefaultOf = (claim: Claim) => {
    const { defaultBackend } = claim;
    return defaultBackend !== undefined && uses.ofDefault(claim, defaultBackend) ? defaultBackend : undefined;
  };
  return host === catchAll ? withDefaultBackend() : withImplicitRoot();

  /**
   * Adds the default backend of an owner without rules, which comes before any rule for `/`
   * (RS-4.7).
   */
  function withDefaultBackend(): readonly Draft[] {
    const backing = claims.find(({ answersUnknownHosts }) => answersUnknownHosts);
    const backend = backing && usedDefaultOf(backing);
    const older = drafts.find(isRoot)?.claim;
    const isTaken = older !== undefined && backing !== undefined && backing !== older && isStranger(backing, older);
    if (isTaken && backend !== undefined) {
      const why = `the path / without a host belongs to the older ${named(older.owner)}`;
      const done = "it answers no requests for unknown hosts";
      problems.push({ object: backing.owner, kind: "claim-lost", field: "spec.defaultBackend", why, done });
    } else if (backing !== undefined && backend !== undefined) {
      return [...drafts.filter((draft) => !isRoot(draft)), defaultRoot(backing, backend, settings)];
    }
    return drafts.some(isRoot) ? drafts : [...drafts, unownedRoot(settings)];
  }

  function isStranger(one: Claim, older: Claim): boolean {
    if (settings.allowCrossNamespaceHostSettings || one.owner.namespace === older.owner.namespace) return false;
    return claims.indexOf(older) < claims.indexOf(one);
  }

  /** Adds the `/` of a host without a rule for it; it belongs to the oldest Claim (RS-3.6). */
  function withImplicitRoot(): readonly Draft[] {
    const [oldest] = claims;
    if (oldest === undefined) return drafts;
    const owner = drafts.find(isRoot)?.claim ?? oldest;
    problems.push(...pathless(host, claims, owner, settings));
    if (drafts.some(isRoot)) return drafts;
    if (!takeAll(drafts)) problems.push(...guardedByOldest(host, claims, settings));
    return [...drafts, implicitRoot(oldest, usedDefaultOf(oldest), settings)];
  }
}

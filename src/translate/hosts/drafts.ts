/**
 * Makes the Locations of a host before canaries are added: one for each path, from the oldest Claim
 * that has it, and one for `/` where no Claim has that path.
 */
import { shown } from "../../kinds/kind.ts";
import { regexMistake } from "../../kinds/patterns.ts";
import { catchAll } from "../../model/configuration.ts";
import { named, type Problem } from "../../problem.ts";
import type { Claim, ClaimedPath, PathMatch } from "../claim.ts";
import { BackendUses } from "../upstreams/backend-uses.ts";
import type { UpstreamUse } from "../upstreams/balance.ts";
import type { World } from "../world.ts";
import { guardedByOldest, literalPatterns, patternAsCookiePath } from "./doubts.ts";
import { type Draft, defaultRoot, draftOf, implicitRoot, isRoot, unownedRoot } from "./draft.ts";
import { pathFault } from "./path-fault.ts";
import { isRegexHost } from "./path-routes.ts";
import { shownHost } from "./shown-host.ts";

const noNamespaces: ReadonlySet<string | undefined> = new Set();

/**
 * The most patterns of one host. An ordinary host has some hundreds at most, and a request that
 * fits none of them is compared with all.
 */
const mostPatterns = 1_000;

export interface Drafts {
  readonly drafts: readonly Draft[];
  readonly uses: readonly UpstreamUse[];
  readonly problems: readonly Problem[];
}

/** Makes the drafts. `claims` are those of the host without canaries, oldest first. */
export function draftsOf(host: string, claims: readonly Claim[], world: World): Drafts {
  const problems: Problem[] = [];
  const uses = new BackendUses(world, problems);
  const byPath = new Map<string, Draft>();
  let regex: ReadonlySet<string | undefined> | undefined;
  for (const claim of claims) {
    for (const claimed of claim.hosts.get(host) ?? []) addPath(claim, claimed);
    uses.ofStandIn(claim);
  }
  let drafts = [...byPath.values()];
  const together = world.settings.allowCrossNamespaceHostSettings;
  if (together) drafts = drafts.map((draft) => ({ ...draft, path: { ...draft.path, namespace: undefined } }));
  const hasRegex = withRegex().size > 0;
  if (hasRegex) drafts = drafts.filter((draft) => !withRegex().has(draft.path.namespace) || compiles(draft));
  drafts = fewEnough(drafts);
  const plain = hasRegex
    ? claims.filter(({ owner }) => !withRegex().has(together ? undefined : owner.namespace))
    : claims;
  problems.push(...literalPatterns(host, plain, world));
  if (host === catchAll) drafts = withDefaultBackend(drafts);
  else if (claims[0] !== undefined && !drafts.some(isRoot)) drafts = withImplicitRoot(drafts, claims[0]);
  return { drafts, uses: uses.all, problems };

  /**
   * Returns the namespaces in which a path is a regular expression, so that all their paths are.
   */
  function withRegex(): ReadonlySet<string | undefined> {
    regex ??= isRegexHost(drafts.map(({ path }) => path))
      ? new Set(drafts.flatMap(({ path }) => (isRegexHost([path]) ? [path.namespace] : [])))
      : noNamespaces;
    return regex;
  }

  function addPath(claim: Claim, path: ClaimedPath): void {
    const { owner: object } = claim;
    const { field, match, backends } = path;
    const { type, text } = match;
    const why = pathFault(match, world.pathsAreText);
    if (why !== undefined) {
      const done = "the path is ignored";
      problems.push({ object, kind: "field-unusable", field: `${field}.path`, why, done });
      return;
    }
    const owner = byPath.get(`${type} ${text}`)?.claim ?? holderOf(claim, match);
    if (owner !== undefined) {
      problems.push({ object, kind: "path-taken", host: shownHost(host), path: text, by: owner.owner });
      return;
    }
    if (!uses.ofPath(claim, path)) return;
    byPath.set(`${type} ${text}`, draftOf(claim, match, backends, `${field}.path`));
    problems.push(...patternAsCookiePath(claim, `${field}.path`));
  }

  /**
   * Keeps the first patterns, those of the oldest Claims, because each request may be compared with
   * all of them. Paths of a namespace without patterns are counted but never left out: they are
   * patterns only because of others.
   */
  function fewEnough(all: readonly Draft[]): Draft[] {
    if (all.length <= mostPatterns) return [...all];
    const patterns = all.filter(({ path }) => withRegex().has(path.namespace));
    const surplus = new Set(patterns.slice(Math.max(0, mostPatterns - (all.length - patterns.length))));
    for (const { claim, field } of surplus) {
      const why = `the host has more than ${mostPatterns} regular expressions, and each request may be compared with all`;
      const done = "the path is ignored";
      if (claim !== undefined) problems.push({ object: claim.owner, kind: "field-unusable", field, why, done });
    }
    return all.filter((draft) => !surplus.has(draft));
  }

  /**
   * Returns the Claim of another namespace that has the same prefix with or without a slash. The
   * one with the slash would count as longer.
   */
  function holderOf({ owner: mine }: Claim, { type, text }: PathMatch): Claim | undefined {
    if (type !== "prefix" || world.settings.allowCrossNamespaceHostSettings) return undefined;
    const owner = byPath.get(`prefix ${text.endsWith("/") ? text.slice(0, -1) : `${text}/`}`)?.claim;
    return owner?.owner.namespace === mine.namespace ? undefined : owner;
  }

  /**
   * Whether the path compiles, where paths are regular expressions. One that does not is left out,
   * because nginx would refuse the whole configuration (RS-32.37).
   */
  function compiles({ claim, field, path }: Draft): boolean {
    const mistake = regexMistake(path.path);
    if (mistake === undefined) return true;
    const why = `${shown(path.path)} is no regular expression: ${mistake}`;
    const done = "the path is ignored";
    if (claim !== undefined) problems.push({ object: claim.owner, kind: "field-unusable", field, why, done });
    return false;
  }

  function isStranger(one: Claim, older: Claim): boolean {
    if (world.settings.allowCrossNamespaceHostSettings || one.owner.namespace === older.owner.namespace) return false;
    return claims.indexOf(older) < claims.indexOf(one);
  }

  /**
   * Adds the default backend of an owner without rules, which comes before any rule for `/`
   * (RS-4.7).
   */
  function withDefaultBackend(written: readonly Draft[]): Draft[] {
    const backing = claims.find(({ answersUnknownHosts }) => answersUnknownHosts);
    const backend = backing && usedDefaultOf(backing);
    const older = written.find(isRoot)?.claim;
    const isTaken = older !== undefined && backing !== undefined && backing !== older && isStranger(backing, older);
    if (isTaken && backend !== undefined) {
      const why = `the path / without a host belongs to the older ${named(older.owner)}`;
      const done = "it answers no requests for unknown hosts";
      problems.push({ object: backing.owner, kind: "field-unusable", field: "spec.defaultBackend", why, done });
    } else if (backing !== undefined && backend !== undefined) {
      return [...written.filter((draft) => !isRoot(draft)), defaultRoot(backing, backend, world.settings)];
    }
    return written.some(isRoot) ? [...written] : [...written, unownedRoot(world.settings)];
  }

  /** Adds the `/` of a host without a rule for it; it belongs to the oldest Claim (RS-3.6). */
  function withImplicitRoot(written: readonly Draft[], oldest: Claim): Draft[] {
    problems.push(...guardedByOldest(host, claims, world.settings));
    return [...written, implicitRoot(oldest, usedDefaultOf(oldest), world.settings)];
  }

  function usedDefaultOf(claim: Claim) {
    const { defaultBackend } = claim;
    return defaultBackend !== undefined && uses.ofDefault(claim, defaultBackend) ? defaultBackend : undefined;
  }
}

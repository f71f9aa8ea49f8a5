/**
 * Finds the paths of a host that are regular expressions, and leaves out those that nginx could not
 * use.
 */

import { shown } from "../../kinds/kind.ts";
import { regexMistake } from "../../kinds/patterns.ts";
import type { Problem } from "../../model/problem.ts";
import { mostTogether, Together, unboundable } from "../../tokens/pattern-bounds.ts";
import type { World } from "../world.ts";
import type { Draft } from "./draft.ts";
import { isRegexHost } from "./path-routes.ts";

/**
 * The most patterns of one host. An ordinary host has some hundreds at most, and a request that
 * fits none of them is compared with all.
 */
const mostPatterns = 1_000;

const noNamespaces: ReadonlySet<string | undefined> = new Set();

export interface HostPatterns {
  /** The drafts whose paths can be served. */
  readonly drafts: readonly Draft[];
  /** The namespaces in which a path is a regular expression, so that all their paths are. */
  readonly namespaces: ReadonlySet<string | undefined>;
  readonly problems: readonly Problem[];
}

/** Returns those that nginx can use. In `pathsAreText` nginx itself runs them, without a budget. */
export function usablePatterns(all: readonly Draft[], { pathsAreText }: Pick<World, "pathsAreText">): HostPatterns {
  const namespaces = namespacesWithPatterns(all);
  if (namespaces.size === 0) return { drafts: all, namespaces, problems: [] };
  const ignored = new Map<Draft, string>();
  for (const draft of all) {
    const mistake = namespaces.has(draft.path.namespace) ? regexMistake(draft.path.path) : undefined;
    // nginx would refuse the whole configuration (RS-32.37).
    if (mistake !== undefined) ignored.set(draft, `${shown(draft.path.path)} is not a regular expression: ${mistake}`);
  }
  if (pathsAreText) addBoundless(all, namespaces, ignored);
  const compiling = all.filter((draft) => !ignored.has(draft));
  for (const draft of surplusPatterns(compiling, namespaces)) {
    const why = `the host has more than ${mostPatterns} regular expressions, and each request may be compared with all`;
    ignored.set(draft, why);
  }
  const problems = [...ignored].flatMap(([{ claim, field }, why]): Problem[] => {
    const done = "the path is ignored";
    return claim === undefined ? [] : [{ object: claim.owner, kind: "limit-exceeded", field, why, done }];
  });
  return { drafts: all.filter((draft) => !ignored.has(draft)), namespaces, problems };
}

function namespacesWithPatterns(drafts: readonly Draft[]): ReadonlySet<string | undefined> {
  // Most hosts have no pattern at all.
  if (!isRegexHost(drafts.map(({ path }) => path))) return noNamespaces;
  return new Set(drafts.flatMap(({ path }) => (isRegexHost([path]) ? [path.namespace] : [])));
}

/**
 * Adds the patterns whose steps have no bound, and those that would be compared with one path
 * beside too many older ones.
 */
function addBoundless(
  all: readonly Draft[],
  namespaces: ReadonlySet<string | undefined>,
  ignored: Map<Draft, string>,
): void {
  const together = new Together();
  for (const draft of all) {
    const { namespace, path } = draft.path;
    if (ignored.has(draft) || !namespaces.has(namespace)) continue;
    const fault = unboundable(path);
    if (fault !== undefined) ignored.set(draft, `${shown(path)} ${fault}, which static mode needs`);
    else if (together.with(path) > mostTogether) {
      const why = `static mode compares no path with more than ${mostTogether} patterns that begin alike`;
      ignored.set(draft, why);
    } else together.add(path);
  }
}

/**
 * Returns the patterns beyond the limit, which are those of the youngest Claims. Paths of a
 * namespace without patterns are counted but never left out: they are patterns only because of
 * others.
 */
function surplusPatterns(all: readonly Draft[], namespaces: ReadonlySet<string | undefined>): readonly Draft[] {
  if (all.length <= mostPatterns) return [];
  const patterns = all.filter(({ path }) => namespaces.has(path.namespace));
  return patterns.slice(Math.max(0, mostPatterns - (all.length - patterns.length)));
}

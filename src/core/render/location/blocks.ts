/** Turns a host's routes into `location` blocks, in the order that nginx needs. */

import { targetVariables } from "../../kinds/rewrite-target.ts";
import type { Server } from "../../model/configuration.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { escapeRegex } from "../../tokens/path-words.ts";
import { Together } from "../../tokens/pattern-bounds.ts";
import { Token, type View } from "../../tokens/token.ts";
import { hasTextPaths } from "../conf/text-servers.ts";

export interface Block {
  readonly match: Token;
  readonly location: number;
  readonly rewrite: View;
  /** Whether its path is a pattern of a user, with groups that count. */
  readonly pattern?: true;
}

/**
 * Returns one block for each Location. Prefix `/foo`, which is an exact and a prefix route, becomes
 * one regular expression; the longest come first, because nginx takes the first that matches. If
 * a snippet has locations of its own, each route is a block instead, as in ingress-nginx: nginx
 * allows locations inside `/` or `/foo/`, but not inside a regular expression.
 */
export function blocksOf(server: Pick<Server<FeatureValues>, "routes" | "locations" | "features">): Block[] {
  const { routes } = server;
  const blocks: Block[] = [];
  const eachAlone = hasTextPaths(server);
  const exact = new Map(routes.flatMap((route) => (route.match === "exact" ? [[route.path, route.location]] : [])));
  const together = new Together();
  for (const { match, path } of routes) if (match === "regex") together.add(path);
  const { steps } = together;
  for (const route of routes) {
    if (route.match === "slash") continue;
    const { location } = route;
    if (route.match === "regex") {
      const pattern = Token.boundedAtBeginning(route.path, steps);
      const rewrite =
        route.rewrite === undefined
          ? false
          : {
              pattern: Token.boundedAtBeginning(route.path, steps, true),
              target: Token.rewriteTarget(route.rewrite, targetVariables(route.rewrite)),
            };
      blocks.push({ match: Token.conf`~* ${pattern}`, location, rewrite, pattern: true });
    } else if (eachAlone) {
      const path = Token.word(route.path);
      blocks.push({ match: route.match === "exact" ? Token.conf`= ${path}` : path, location, rewrite: false });
    } else if (route.match === "prefix") {
      const withItself = exact.get(route.path.slice(0, -1)) === location && !exact.has(route.path);
      blocks.push({ match: prefixMatch(route.path, withItself), location, rewrite: false });
    } else {
      const below = `${route.path}/`;
      // Beside an exact `/foo/` nginx redirects `/foo` to it before it tries regular expressions.
      const among =
        !exact.has(below) &&
        routes.some((one) => one.match === "prefix" && one.path === below && one.location === location);
      if (!among) blocks.push({ match: Token.conf`= ${Token.word(route.path)}`, location, rewrite: false });
    }
  }
  return blocks;
}

function prefixMatch(path: string, withItself: boolean): Token {
  if (path === "/") return Token.word("/");
  const text = escapeRegex(path.slice(0, -1));
  return Token.conf`~ ${Token.pattern(withItself ? `^${text}(?:/|\\z)` : `^${text}/`)}`;
}

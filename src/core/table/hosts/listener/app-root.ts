/**
 * `app-root` of a listener, as RouteSettings attach it: a request for `/` of each host that has
 * routes there is redirected before any rule of them. If an older object has the path, it stays
 * with that one.
 */
import type { Problem } from "../../../model/problem.ts";
import type { Claim } from "../../claim.ts";
import type { Entry } from "./entries.ts";

/** Returns the target, which all entries have in common because they belong to one listener. */
function targetOf(entries: readonly Entry[]): string {
  const [first] = entries;
  const { appRoot } = first!.claimed.features ?? first!.claim.features;
  return appRoot.path;
}

const isRoot = ({ rank, path }: Entry): boolean => rank === 0 && path === "/";

/** Returns the entries with the redirect as the first one; the same if there is none. */
export function withAppRoot(entries: readonly Entry[], problems: Problem[]): readonly Entry[] {
  const target = entries.length === 0 ? "" : targetOf(entries);
  if (target === "") return entries;
  for (const { claim, claimed } of entries.filter(isRoot)) problems.push(unmet(claim, claimed.field));
  const oldest = entries.reduce((one, other) => (isOlder(other, one) ? other : one));
  const { features } = oldest.claim;
  // A path alone would lose the port that the client used.
  const url = `$scheme://$best_http_host${target}`;
  const redirects = { ...features.redirects, elsewhere: { code: 302, url } };
  const redirect: Entry = {
    claim: oldest.claim,
    claimed: {
      field: "app-root of the listener",
      match: { text: "/", type: "exact", loose: false },
      // They get no requests, but every Location has backends.
      backends: oldest.claimed.backends,
      features: { ...features, redirects },
    },
    path: "/",
    rank: 0,
  };
  return [redirect, ...entries.filter((entry) => !isRoot(entry))];
}

const isOlder = ({ claim: one }: Entry, { claim: other }: Entry): boolean => one.since.created < other.since.created;

function unmet({ owner: object }: Claim, field: string): Problem {
  const why = "RouteSettings of the listener redirect the path / (app-root)";
  return { object, kind: "claim-lost", field, why, done: "this match takes no request" };
}

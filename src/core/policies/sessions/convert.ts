/** What a move has to know of affinity. */
import { literalPath } from "../../kinds/gateway/cookie-path.ts";
import type { Canary } from "../../model/configuration.ts";
import type { FieldValues } from "../declare.ts";
import { hasPathOfRule, issuesCookie, sessionAffinity } from "./declaration.ts";

type Values = { readonly sessionAffinity: FieldValues<typeof sessionAffinity.fields> };

/**
 * Returns the path of the cookie, which is the path that the Ingress has, because a route has a
 * longer pattern. Browsers never send back a cookie whose path is a real pattern, so the route's
 * cookie has the literal beginning.
 */
export function cookiePathOf(values: Values, path: string): Readonly<Record<string, string>> {
  if (!hasPathOfRule(values)) return {};
  const isReadable = sessionAffinity.fields.path.kind.read(path).ok;
  return { "session-cookie-path": isReadable ? path : literalPath(path, true) };
}

/** Whether a cookie binds clients to a canary. The rules of a route cannot do that. */
export function bindsToCanaries(values: Values, canaries: readonly Canary[]): boolean {
  const isChosen = ({ policy: { header, cookie, weight } }: Canary) => header !== "" || cookie !== "" || weight > 0;
  return canaries.some(isChosen) && issuesCookie(values) && values.sessionAffinity.canaryBehavior === "sticky";
}

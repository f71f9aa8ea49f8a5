/** Decides whether `satisfy: any` makes a difference to the requests of a Location. */
import type { FeatureValues } from "./registry.ts";

/**
 * Whether there are several checks, and passing one of them may be enough. A snippet may add some.
 */
export function isAnyEnough({
  satisfy,
  accessLists: { allow, deny },
  basicAuth,
  externalAuth,
  configurationSnippet,
}: FeatureValues): boolean {
  const checks = [allow.length + deny.length > 0, basicAuth.kind !== "none", externalAuth.kind !== "none"];
  const isSeveral = checks.filter((has) => has).length > 1;
  return satisfy.checks === "any" && (isSeveral || configurationSnippet.text !== "");
}

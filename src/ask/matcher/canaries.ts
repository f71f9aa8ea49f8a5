/**
 * Decides which canaries may take a request, as nginx/lua/sluice/canary.lua does: by a header, then
 * by a cookie, then by weight.
 */
import type { CanaryPolicy } from "../../core/model/configuration.ts";
import type { End } from "./decision.ts";
import { patternOf } from "./pattern.ts";
import type { AskedRequest } from "./request.ts";

type Canaries = (End & { readonly kind: "proxied" })["canaries"];
type Rule = "header" | "cookie" | "weight" | undefined;

/**
 * Returns the probability of each canary; the rest belongs to the main backend. A canary without
 * endpoints is skipped.
 */
export function canaryShares(canaries: Canaries, asked: AskedRequest): readonly number[] {
  const rules = canaries.map(({ canary, upstream }) => {
    return (upstream?.endpoints.length ?? 0) > 0 ? ruleOf(canary.policy, asked) : undefined;
  });
  for (const sure of ["header", "cookie"] as const) {
    const first = rules.indexOf(sure);
    if (first >= 0) return rules.map((_, at) => (at === first ? 1 : 0));
  }
  let left = 1;
  return canaries.map(({ canary: { policy } }, at) => {
    const share = rules[at] === "weight" ? Math.min(left, policy.weight / policy.weightTotal) : 0;
    left -= share;
    return share;
  });
}

/** Returns the rule by which the canary may take the request; undefined if it may not. */
function ruleOf(policy: CanaryPolicy, asked: AskedRequest): Rule {
  const byHeader = headerVerdict(policy, asked);
  if (byHeader !== undefined) return byHeader ? "header" : undefined;
  const byCookie = policy.cookie === "" ? undefined : word(cookieOf(asked, policy.cookie));
  if (byCookie !== undefined) return byCookie ? "cookie" : undefined;
  return policy.weight > 0 ? "weight" : undefined;
}

/** Returns undefined if the header does not decide. */
function headerVerdict(policy: CanaryPolicy, { headers }: AskedRequest): boolean | undefined {
  const value = policy.header === "" ? undefined : headers.get(policy.header.toLowerCase());
  if (value === undefined) return undefined;
  if (policy.headerValue !== "") return value === policy.headerValue || undefined;
  if (policy.headerPattern !== "") return patternOf(policy.headerPattern, "")?.test(value) || undefined;
  return word(value);
}

function word(value: string | undefined): boolean | undefined {
  return value === "always" ? true : value === "never" ? false : undefined;
}

function cookieOf({ headers }: AskedRequest, name: string): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(/;\s*/).map((pair) => /^([^=]*)=(.*)$/s.exec(pair));
  return pairs.find((pair) => pair?.[1]?.trim().toLowerCase() === name.toLowerCase())?.[2];
}

/**
 * Canary: an Ingress that takes some requests of a rule that belongs to another Ingress (RS-13). It
 * makes no host, path or certificate of its own. `translate/` adds it to the Location that it
 * shadows, and ignores its other annotations.
 */

import { integer } from "../kinds/numbers.ts";
import { regexMistake } from "../kinds/patterns.ts";
import { plainText, textOf } from "../kinds/text.ts";
import type { CanaryPolicy } from "../model/configuration.ts";
import type { Problem } from "../model/problem.ts";
import { unboundable } from "../tokens/pattern-bounds.ts";
import { smallestShare } from "../tokens/split-clients.ts";
import { type Context, field, resolvedFeature, textField, toggle } from "./declare.ts";
import { lost } from "./without-lua.ts";

const pattern = textOf({
  label: "letters, digits and - . _ ~ / : ^ $ [ ] ( ) { } * + ? | & = \\",
  characters: "A-Za-z0-9._~/:^$[\\](){}*+?|&=\\\\\\-",
});

/** The annotation behind each part of the policy. */
const keys = {
  header: "canary-by-header",
  headerValue: "canary-by-header-value",
  headerPattern: "canary-by-header-pattern",
  cookie: "canary-by-cookie",
  weight: "canary-weight",
  weightTotal: "canary-weight-total",
} as const satisfies Record<keyof CanaryPolicy, string>;

/** The value is the policy; undefined for an ordinary Ingress. */
export const canary = resolvedFeature({
  name: "canary",
  scope: "ingress",
  notOnRoutes: "weights of backendRefs and matches by header send requests elsewhere",
  live: true,
  fields: {
    on: toggle("canary", {
      doc: "Makes the Ingress an alternative for rules that another Ingress has, with the same host, path and path type.",
    }),
    header: textField(keys.header, {
      example: "X-Canary",
      kind: plainText,
      risk: "Medium",
      doc: "Request header that decides first: with the value always the canary gets the request, with never it does not.",
    }),
    headerValue: textField(keys.headerValue, {
      example: "eu-west",
      kind: plainText,
      risk: "Medium",
      doc: "Value of that header with which the canary gets the request, instead of always and never.",
    }),
    headerPattern: textField(keys.headerPattern, {
      example: "^eu-",
      kind: pattern,
      risk: "Medium",
      doc: "Regular expression searched in that header; if it matches, the canary gets the request.",
    }),
    cookie: textField(keys.cookie, {
      example: "canary",
      kind: plainText,
      risk: "Medium",
      doc: "Cookie that decides after the header: with the value always the canary gets the request, with never it does not.",
    }),
    weight: field(keys.weight, {
      example: "10",
      kind: integer(),
      fallback: () => 0,
      doc: "Share of the remaining requests that the canary gets, of canary-weight-total.",
    }),
    weightTotal: field(keys.weightTotal, {
      example: "1000",
      kind: integer(),
      fallback: () => 100,
      doc: "The total of which canary-weight is a share; below 100 it counts as 100.",
    }),
  },
  resolve: ({ on, weightTotal, ...policy }, context) => {
    const value: CanaryPolicy | undefined = on ? { ...policy, weightTotal: Math.max(100, weightTotal) } : undefined;
    return { value, problems: useless(value, context) };
  },
  countsInCanaries: true,
  withoutLua: {
    header: (policy) =>
      policy === undefined || policy.header === "" || /^[\w-]+$/.test(policy.header)
        ? undefined
        : lost(`static mode cannot look for a header called ${policy.header}`),
    headerPattern: (policy) => {
      const fault = policy === undefined ? undefined : unboundable(policy.headerPattern);
      return fault === undefined ? undefined : lost(`the pattern ${fault}, which static mode needs`);
    },
    weight: (policy) =>
      policy !== undefined && policy.weight > 0 && policy.weight / policy.weightTotal < smallestShare
        ? lost("static mode draws in hundredths of a percent, and this share is less than half of one")
        : undefined,
  },
});

function useless(policy: CanaryPolicy | undefined, { ingress, given }: Context): Problem[] {
  const problem = (part: keyof CanaryPolicy, why: string) =>
    given(part) ? [{ object: ingress, kind: "annotation-useless" as const, key: keys[part], why }] : [];
  if (policy === undefined) {
    const parts = Object.keys(keys) as (keyof CanaryPolicy)[];
    return parts.flatMap((part) => problem(part, "canary is not true, so this is an ordinary Ingress"));
  }
  const { header, headerValue, headerPattern, weight } = policy;
  const mistake = headerPattern === "" ? undefined : regexMistake(headerPattern);
  return [
    ...(header === "" ? problem("headerValue", "canary-by-header is not set") : []),
    ...(header === "" ? problem("headerPattern", "canary-by-header is not set") : []),
    ...(header !== "" && headerValue !== "" ? problem("headerPattern", "canary-by-header-value is set") : []),
    ...(weight === 0 ? problem("weightTotal", "canary-weight is not set, or is 0") : []),
    ...(mistake === undefined ? [] : problem("headerPattern", `it is not a regular expression: ${mistake}`)),
  ];
}

/**
 * ModSecurity for one Ingress, beside the ConfigMap's settings for all (RS-25.4). Its own rules
 * replace the stock rules if only the annotation turns ModSecurity on. They are a snippet, so
 * the operator must allow them.
 */

import { optional } from "../kinds/combine.ts";
import { bool } from "../kinds/words.ts";
import { modsecurityRules } from "../settings/modsecurity-rules.ts";
import type { Token } from "../tokens/token.ts";
import { field, type Resolved, resolvedFeature, textField, toggle } from "./declare.ts";
import { cacheKey as nameWithVariables } from "./external-auth/kinds.ts";
import { snippetsOff, useless } from "./problems.ts";

interface Modsecurity {
  /** If it is undefined, the ConfigMap decides. */
  readonly enable: boolean | undefined;
  readonly owasp: boolean;
  /**
   * The id of a transaction, which may hold variables. If it is empty, ModSecurity makes its
   * own.
   */
  readonly transaction: string;
  /** The Ingress's own rules; empty if there are none. */
  readonly rules: string;
}

export const modsecurity = resolvedFeature({
  name: "modsecurity",
  scope: "location",
  guard: true,
  needs: "modsecurity",
  fields: {
    enable: field("enable-modsecurity", {
      example: "true",
      kind: optional(bool),
      doc: "true lets ModSecurity inspect requests by the stock rules, which only detect; false switches it off if the ConfigMap switches it on.",
    }),
    owasp: toggle("enable-owasp-core-rules", { doc: "Adds the OWASP core rule set if ModSecurity is on." }),
    transaction: textField("modsecurity-transaction-id", {
      example: "$req_id",
      kind: nameWithVariables,
      risk: "High",
      doc: "ID of the request in ModSecurity's log; may hold variables.",
    }),
    rules: textField("modsecurity-snippet", {
      example: "SecRuleEngine On",
      kind: modsecurityRules,
      onBad: "reject",
      risk: "Critical",
      doc: "Rules of ModSecurity instead of the stock ones, if the operator allows snippets.",
    }),
  },
  resolve: (value, context): Resolved<Modsecurity> =>
    value.rules === "" || context.settings.allowSnippetAnnotations
      ? { value }
      : { value: { ...value, rules: "" }, problems: [useless(context, "modsecurity-snippet", snippetsOff)] },
  both: (inner, outer) => ({
    enable: inner.enable === true || outer.enable === true ? true : inner.enable === false ? outer.enable : undefined,
    owasp: inner.owasp || outer.owasp,
    transaction: inner.transaction === "" ? outer.transaction : inner.transaction,
    rules: [outer.rules, inner.rules].filter((rules) => rules !== "").join("\n"),
  }),
  view: ({ enable, owasp, transaction, rules }, place, { enableModsecurity, enableOwaspModsecurityCrs }) => {
    if (!(enable ?? enableModsecurity)) return enableModsecurity ? { on: false } : false;
    place.needs("modsecurity");
    return {
      on: true,
      begins: !enableModsecurity,
      stock: !enableModsecurity && rules === "",
      rules: modsecurityRules.view(rules),
      transaction: transaction !== "" && (nameWithVariables.view(transaction) as Token),
      owasp: owasp && !(enableModsecurity && enableOwaspModsecurityCrs),
    };
  },
});

/**
 * Headers for every answer of the Location, from a ConfigMap. The operator lists the names that may
 * be set (global-allowed-response-headers); any other name closes the Location. A `$` is a plain
 * character. Headers about framing or the connection are left out, because only nginx may set
 * those. The ConfigMap may be in another namespace, as in ingress-nginx (RS-32.35): everything that
 * it may hold is a header that clients see anyhow. Messages about such a ConfigMap have none of its
 * names and values, because its keys might not be headers.
 */

import { readValue, shown } from "../kinds/kind.ts";
import { headerName } from "../kinds/names.ts";
import { withoutReserved } from "../kinds/reserved-headers.ts";
import { notFound } from "../model/missing.ts";
import type { ConfigMap } from "../model/objects.ts";
import type { Problem, Why } from "../model/problem.ts";
import type { AnswerHeader } from "../tokens/place.ts";
import { Token } from "../tokens/token.ts";
import { type Context, field, type Resolved, resolvedFeature } from "./declare.ts";
import { referenceText } from "./reference.ts";

export interface CustomHeader {
  readonly name: string;
  readonly value: string;
}

export const customHeaders = resolvedFeature({
  name: "custom-headers",
  scope: "location",
  fields: {
    configMap: field({
      key: "custom-headers",
      example: "shop/answer-headers",
      kind: referenceText,
      fallback: () => "",
      risk: "Medium",
      doc: "ConfigMap, as namespace/name, whose entries are headers of every answer. It may be in another namespace.",
    }),
  },
  resolve: ({ configMap: reference }, context): Resolved<readonly CustomHeader[]> => {
    if (reference === "") return { value: [] };
    const found = reference.includes("/") ? context.configMap(reference) : undefined;
    const foreign = whyForeign(reference, context);
    if (foreign !== undefined) {
      if (context.ingress.kind !== "Ingress") return refused(context, { why: foreign });
      const { kept, left } = withoutReserved(found === undefined ? [] : headersOf(found));
      const { globalAllowedResponseHeaders: allowed } = context.settings;
      if (found === undefined || kept.some((one) => mistakeIn(one, allowed) !== undefined))
        return refused(context, { why: unusable(reference) });
      return { value: kept, problems: left.map((why) => leftOut(context, `ConfigMap ${reference}: ${why}`)) };
    }
    if (found === undefined) {
      const { why, missing } = notFound("ConfigMap", reference);
      return refused(context, { why: `${why}, which is named as namespace/name`, missing });
    }
    const { kept, left } = withoutReserved(headersOf(found));
    for (const header of kept) {
      const why = mistakeIn(header, context.settings.globalAllowedResponseHeaders);
      if (why !== undefined) return refused(context, { why: `ConfigMap ${reference}: ${why}` });
    }
    return { value: kept, problems: left.map((why) => leftOut(context, `ConfigMap ${reference}: ${why}`)) };
  },
  shapesOwnAnswers: (headers) => headers.length > 0,
  answerHeaders: (headers, place) =>
    headers.map(({ name, value }, at): AnswerHeader => {
      const isData = place.live && !place.ofGateway;
      const bound = isData ? place.bind(`answer_header_${at + 1}`, value) : Token.text(value);
      const line = isData ? Token.conf`"${Token.name(name)}: ${bound}"` : Token.text(`${name}: ${value}`);
      return { name: Token.name(name), value: bound, always: true, replaces: true, inBlocks: true, line };
    }),
});

/** Returns why details of a ConfigMap of another namespace are kept from the author. */
function whyForeign(reference: string, { ingress, foreign }: Context): string | undefined {
  const [namespace] = reference.split("/", 1);
  return !reference.includes("/") || namespace === ingress.namespace ? undefined : foreign("ConfigMap", reference);
}

/** The same words for each reason, so that they tell nothing about the ConfigMap. */
const unusable = (reference: string): string =>
  `ConfigMap ${reference} of another namespace is missing, or holds something else than headers of global-allowed-response-headers`;

function headersOf({ data = {} }: ConfigMap): CustomHeader[] {
  const headers = Object.entries(data).map(([name, value]) => ({ name, value: value.replace(/\r?\n$/, "") }));
  return headers.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function mistakeIn({ name, value }: CustomHeader, allowed: readonly string[]): string | undefined {
  const named = readValue(headerName, name);
  if (!named.ok) return named.why;
  if (!allowed.includes(name)) return `${name} is not in global-allowed-response-headers`;
  if (!Token.printable(value) || value.length > 3000)
    return `the value of ${name}, ${shown(value)}, is too long or has a control character`;
  return undefined;
}

function leftOut({ ingress: object }: Context, why: string): Problem {
  return { object, kind: "value-unusable", field: "annotation custom-headers", why, done: "it is left out" };
}

function refused({ ingress: object }: Context, reason: Why): Resolved<readonly CustomHeader[]> {
  const problem = { object, kind: "annotation-unreadable", key: "custom-headers", ...reason, done: "deny" } as const;
  return { refuse: "deny", problem };
}

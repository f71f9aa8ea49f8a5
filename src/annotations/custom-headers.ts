/**
 * Headers for every answer of the Location, from a ConfigMap. The operator lists the names that may
 * be set (global-allowed-response-headers); any other name closes the Location. A `$` is a plain
 * character. Headers about framing or the connection are left out, because only nginx may set
 * those.
 */

import type { AnswerHeader } from "../directives/place.ts";
import { Token } from "../directives/token.ts";
import { readValue, shown } from "../kinds/kind.ts";
import { headerName } from "../kinds/names.ts";
import { withoutReserved } from "../kinds/reserved-headers.ts";
import { notFound } from "../missing.ts";
import type { ConfigMap } from "../model/objects.ts";
import type { Problem, Why } from "../problem.ts";
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
      doc: "ConfigMap, as namespace/name, whose entries are headers of every answer.",
    }),
  },
  resolve: ({ configMap: reference }, context): Resolved<readonly CustomHeader[]> => {
    if (reference === "") return { value: [] };
    const found = reference.includes("/") ? context.configMap(reference) : undefined;
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
  answerHeaders: (headers, place) =>
    headers.map(({ name, value }, at): AnswerHeader => {
      const isData = place.live && !place.ofGateway;
      const bound = isData ? place.bind(`answer_header_${at + 1}`, value) : Token.text(value);
      const line = isData ? Token.conf`"${Token.name(name)}: ${bound}"` : Token.text(`${name}: ${value}`);
      return { name: Token.name(name), value: bound, always: true, replaces: true, inBlocks: true, line };
    }),
});

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
  return { object, kind: "field-unusable", field: "annotation custom-headers", why, done: "it is left out" };
}

function refused({ ingress: object }: Context, reason: Why): Resolved<readonly CustomHeader[]> {
  const problem = { object, kind: "annotation-unreadable", key: "custom-headers", ...reason, done: "deny" } as const;
  return { refuse: "deny", problem };
}

/**
 * Headers for every answer of the Location, from a ConfigMap. The operator lists the names that may
 * be set (global-allowed-response-headers); any other name closes the Location. A `$` is a plain
 * character. Headers about framing or the connection are left out, because only nginx may set
 * those. The ConfigMap may be in another namespace, as in ingress-nginx (RS-32.35): everything that
 * it may hold is a header that clients see anyhow. Messages about such a ConfigMap have none of its
 * names and values, because its keys might not be headers.
 */

import { readValue, shown } from "../../kinds/kind.ts";
import { headerName } from "../../kinds/names.ts";
import { withoutReserved } from "../../kinds/reserved-headers.ts";
import type { HeaderValue } from "../../model/filters.ts";
import { notFound } from "../../model/missing.ts";
import type { ConfigMap } from "../../model/objects.ts";
import { Token } from "../../tokens/token.ts";
import type { Context, Resolved } from "../declare.ts";
import { leftOut, refused } from "../problems.ts";

/** Reads the ConfigMap that `reference` names as namespace/name. */
export function headersIn(reference: string, context: Context): Resolved<readonly HeaderValue[]> {
  if (reference === "") return { value: [] };
  const found = reference.includes("/") ? context.configMap(reference) : undefined;
  const foreign = whyForeign(reference, context);
  if (foreign !== undefined && context.ingress.kind !== "Ingress") return refused(context, key, { why: foreign });
  // The same words for each reason tell nothing about a ConfigMap of another namespace.
  const hidden = `ConfigMap ${reference} of another namespace is missing, or holds something else than headers of global-allowed-response-headers`;
  if (found === undefined) {
    const { why, missing } = notFound("ConfigMap", reference);
    const own = { why: `${why}, which is named as namespace/name`, missing };
    return refused(context, key, foreign === undefined ? own : { why: hidden });
  }
  const { kept, left } = withoutReserved(headersOf(found));
  const { globalAllowedResponseHeaders: allowed } = context.settings;
  const mistake = kept.map((one) => mistakeIn(one, allowed)).find((why) => why !== undefined);
  if (mistake !== undefined)
    return refused(context, key, { why: foreign === undefined ? `ConfigMap ${reference}: ${mistake}` : hidden });
  return { value: kept, problems: left.map((why) => leftOut(context, key, `ConfigMap ${reference}: ${why}`)) };
}

/** Returns why details of a ConfigMap of another namespace are kept from the author. */
function whyForeign(reference: string, { ingress, foreign }: Context): string | undefined {
  const [namespace] = reference.split("/", 1);
  return !reference.includes("/") || namespace === ingress.namespace ? undefined : foreign("ConfigMap", reference);
}

function headersOf({ data = {} }: ConfigMap): HeaderValue[] {
  const headers = Object.entries(data).map(([name, value]) => ({ name, value: value.replace(/\r?\n$/, "") }));
  return headers.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function mistakeIn({ name, value }: HeaderValue, allowed: readonly string[]): string | undefined {
  const named = readValue(headerName, name);
  if (!named.ok) return named.why;
  if (!allowed.includes(name)) return `${name} is not in global-allowed-response-headers`;
  if (!Token.printable(value) || value.length > 3000)
    return `the value of ${name}, ${shown(value)}, is too long or has a control character`;
  return undefined;
}

const key = "custom-headers";

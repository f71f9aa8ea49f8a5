/**
 * Reads the matches of a GRPCRoute's rule as paths. A call has the path `/service/method`. An exact
 * service is a path or a prefix in the route table. A pattern, or a method of any service, is
 * compared at the prefix `/`.
 */
import { shown } from "../../../kinds/kind.ts";
import { regexMistake } from "../../../kinds/patterns.ts";
import type { ValueCondition } from "../../../model/configuration.ts";
import type { GRPCRouteMatch, GRPCRouteRule } from "../../../model/gateway/routes.ts";
import type { PathMatch } from "../../../table/claim.ts";
import { firstOfEach, type MatchesRead, type MatchMistake, readMatches, valueMistake } from "./matches.ts";

export function grpcMatchesOf({ matches }: GRPCRouteRule): MatchesRead {
  return readMatches(matches, mistakeIn, pathMatchOf);
}

const types = ["Exact", "RegularExpression"];
const parts = ["service", "method"] as const;

function mistakeIn({ method: asked, headers = [] }: GRPCRouteMatch): MatchMistake | undefined {
  if (asked !== undefined) {
    const { type = "Exact" } = asked;
    if (!types.includes(type)) {
      return { part: ".method.type", why: `${shown(type)} is not one of ${types.join(", ")}` };
    }
    for (const part of parts) {
      const why = partMistake(asked[part] ?? "", type);
      if (why !== undefined) return { part: `.method.${part}`, why };
    }
  }
  return valueMistake(headers, ".headers");
}

function partMistake(value: string, type: string): string | undefined {
  if (type === "Exact") return value.includes("/") ? `${shown(value)} has a slash in it` : undefined;
  const bad = regexMistake(value);
  return bad === undefined ? undefined : `${shown(value)} is not a regular expression: ${bad}`;
}

function pathMatchOf({ method: asked = {}, headers = [] }: GRPCRouteMatch): PathMatch {
  const { type, service = "", method = "" } = asked;
  const isExact = type !== "RegularExpression" && service !== "";
  const isWhole = isExact && method !== "";
  return {
    text: isWhole ? `/${service}/${method}` : isExact ? `/${service}/` : "/",
    type: isWhole ? "exact" : "prefix",
    loose: false,
    conditions: {
      method: "POST",
      headers: firstOfEach(headers, (name) => name.toLowerCase()),
      query: [],
      call: isExact ? [] : partsOf(asked),
    },
  };
}

function partsOf({ type, ...asked }: NonNullable<GRPCRouteMatch["method"]>): readonly ValueCondition[] {
  return parts.flatMap((name): ValueCondition[] => {
    const { [name]: value = "" } = asked;
    return value === "" ? [] : [{ name, type: type === "RegularExpression" ? "regex" : "exact", value }];
  });
}

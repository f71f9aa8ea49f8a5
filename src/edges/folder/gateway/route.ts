/** The API server's rules that several kinds of routes share (Gateway API v1.6.3). */
import { mostMatches } from "../../../core/model/gateway/limits.ts";
import { gatewayGroup } from "../../../core/model/gateway/objects.ts";
import { anything, type Check, port, record, text, word, wrong } from "../check.ts";
import { metadata } from "../metadata.ts";
import { dnsSubdomain } from "../names.ts";
import { alike, atMost, both, distinct, few, filled, headerName, placed, sectionName } from "./names.ts";

const parentOf = ({ group = gatewayGroup, kind = "Gateway", namespace, name }: Record<string, unknown>): string =>
  JSON.stringify([group, kind, namespace ?? "", name]);

/** Two references to the same parent must name different parts of it. */
const parents = both(
  few(record({ ...placed, sectionName, port }, ["name"]), 32),
  alike(parentOf, ["sectionName", "port"], "parent"),
  distinct(
    (one) => JSON.stringify([parentOf(one), one.sectionName ?? "", one.port ?? 0]),
    () => "another one names the same parent, without another sectionName or port",
  ),
);

/** The fields that the specs of all routes have, besides their rules. */
export const fieldsOfRoutes = { parentRefs: parents, useDefaultGateways: word("All", "None") };

export const routeWith = (spec: Check): Check =>
  record({ apiVersion: anything, kind: anything, metadata: metadata(dnsSubdomain), spec, status: anything }, [
    "metadata",
    "spec",
  ]);

export const valueMatch = (longest: number) =>
  record({ type: word("Exact", "RegularExpression"), name: text(headerName), value: text(filled, atMost(longest)) }, [
    "name",
    "value",
  ]);

export function distinctNames(what: string): Check {
  return distinct(
    ({ name }) => String(name),
    (name) => `the ${what} ${name} is given twice`,
  );
}

/** Limits the matches of all rules together. A rule without matches counts as `ofNone`. */
export function fewMatches(ofNone: number): Check {
  return (value) => {
    const rules = value as readonly { readonly matches?: readonly unknown[] }[];
    const count = rules.reduce((sum, { matches }) => sum + (matches?.length ?? ofNone), 0);
    return count > mostMatches ? wrong([], `they have ${count} matches together, and ${mostMatches} are the most`) : [];
  };
}

export const distinctRules = distinct(
  ({ name }) => (name === undefined || name === null ? undefined : String(name)),
  (name) => `the name ${name} is given twice`,
);

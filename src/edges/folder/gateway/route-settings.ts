/**
 * The API server's rules for RouteSettings. Their definition leaves the values of annotations to
 * Sluice.
 */

import { isMapping } from "../../../core/model/mapping.ts";
import { anything, type Check, record, text, under, word, wrong } from "../check.ts";
import { metadata } from "../metadata.ts";
import { dnsSubdomain } from "../names.ts";
import { both, distinct, few, named, sectionName } from "./names.ts";

const targetRefs = both(
  few(
    record({ ...named, group: word("gateway.networking.k8s.io"), kind: text(), sectionName }, [
      "group",
      "kind",
      "name",
    ]),
    16,
  ),
  distinct(
    ({ group, kind, name, sectionName: section }) => `${group} ${kind} ${name} ${section ?? ""}`,
    () => "this target is given twice",
  ),
);

const values: Check = (value) => {
  if (!isMapping(value)) return wrong([], "it is not a mapping of names and values");
  return Object.entries(value).flatMap(([key, one]) => {
    if (key === "targetRefs") return one === undefined || one === null ? [] : under(key, targetRefs(one));
    return typeof one === "object" ? wrong([key], "it is not text, a number, true or false") : [];
  });
};

export const routeSettings = record(
  { apiVersion: anything, kind: anything, metadata: metadata(dnsSubdomain), status: anything, spec: values },
  ["metadata", "spec"],
);

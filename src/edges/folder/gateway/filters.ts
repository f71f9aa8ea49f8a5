/** The API server's rules for the filters of HTTPRoutes and GRPCRoutes (Gateway API v1.6.3). */
import { type Check, record, text, wrong } from "../check.ts";
import { mirror } from "./mirror.ts";
import { atMost, both, distinct, distinctTexts, few, filled, headerName, named } from "./names.ts";
import { distinctNames } from "./route.ts";

const header = record({ name: text(headerName), value: text(filled, atMost(4_096)) }, ["name", "value"]);
const headerChanges = record({
  set: both(few(header, 16), distinctNames("header")),
  add: both(few(header, 16), distinctNames("header")),
  remove: distinctTexts(text(), 16),
});

/** Types of filters that HTTPRoutes and GRPCRoutes have, each with its field. */
export const sharedFilterFields = {
  RequestHeaderModifier: "requestHeaderModifier",
  ResponseHeaderModifier: "responseHeaderModifier",
  RequestMirror: "requestMirror",
} as const;

/** The rules for the fields of these filters, and of ExtensionRef. */
export const sharedFilters = {
  requestHeaderModifier: headerChanges,
  responseHeaderModifier: headerChanges,
  requestMirror: mirror,
  extensionRef: record(named, ["group", "kind", "name"]),
};

/** Checks that a filter has the field of its type and none of another type. */
export function fieldOfType(fieldOf: Readonly<Record<string, string>>): Check {
  return (value) => {
    const { type, ...fields } = value as Record<string, unknown>;
    const needed = fieldOf[type as string]!;
    if (!Object.hasOwn(fields, needed)) return wrong([], `${needed} is missing, and type is ${type}`);
    const other = Object.keys(fields).find((name) => name !== needed && (fields[name] ?? undefined) !== undefined);
    return other === undefined ? [] : wrong([other], `it must not stand beside type ${type}`);
  };
}

/** Filters that may occur several times. */
const repeatable = ["RequestMirror", "ExtensionRef", "ExternalAuth"];

export const distinctTypes = distinct(
  ({ type }) => (repeatable.includes(type as string) ? undefined : String(type)),
  (type) => `${type} is given twice`,
);

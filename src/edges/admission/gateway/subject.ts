/**
 * Reads the Gateways, ListenerSets and routes that the webhook reviews. The API server has checked
 * them against their definitions, but any program that reaches the port can send one, so sizes are
 * bounded here. `warnings.ts` finds wrong shapes.
 */

import { longestLists, mostMatches, mostNamesOfTls } from "../../../core/model/gateway/limits.ts";
import type { ListenerSet } from "../../../core/model/gateway/listener-set.ts";
import type { Gateway, Route } from "../../../core/model/gateway/objects.ts";
import { gatewayGroup } from "../../../core/model/gateway/objects.ts";
import { type RouteSettings, routeSettingsVersion, sluiceGroup } from "../../../core/model/gateway/route-settings.ts";
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import { tableOf } from "../../../core/model/snapshot.ts";
import { notYet } from "../not-yet.ts";

export type GatewayObject = Gateway | ListenerSet | Route;

export type Reviewed = GatewayObject | RouteSettings;

/** Whether the webhook reviews objects of this kind. */
export function isReviewed({ group, version, kind }: Mapping): boolean {
  if (group === sluiceGroup) return version === "v1alpha1" && kind === "RouteSettings";
  if (group !== gatewayGroup || version !== "v1" || typeof kind !== "string") return false;
  return Object.hasOwn(tableOf, kind) && (kind === "Gateway" || kind === "ListenerSet" || kind.endsWith("Route"));
}

/** The API's definitions allow no list and no text that is longer, except texts in annotations. */
const longestList = 256;
const longestText = 4_096;
/** RouteSettings hold snippets. A longer snippet is refused when the settings are read. */
const longestSnippet = 256 * 1024;
/** A route with 16 rules and 128 full matches stays far below this. */
const mostValues = 100_000;
/** The most characters of all texts together. The API server stores at most 1.5 MB of an object. */
const mostText = 1_600_000;

/**
 * Returns the object with its namespace filled in. Returns undefined if the value is not an
 * object, or is larger than any that an API server stores.
 */
export function subjectOf(object: unknown, kind: string, namespace: string): Reviewed | undefined {
  if (!isMapping(object) || !isMapping(object.metadata) || !isMapping(object.spec)) return undefined;
  const { name = "", creationTimestamp, uid, annotations, deletionTimestamp } = object.metadata;
  if (typeof name !== "string" || !isBounded(object.spec, kind)) return undefined;
  const metadata = {
    name,
    namespace,
    ...(typeof uid === "string" ? { uid } : {}),
    ...(isMapping(annotations) ? { annotations } : {}),
    ...(typeof deletionTimestamp === "string" ? { deletionTimestamp } : {}),
    creationTimestamp: typeof creationTimestamp === "string" ? creationTimestamp : notYet,
  };
  const apiVersion = kind === "RouteSettings" ? routeSettingsVersion : `${gatewayGroup}/v1`;
  return { ...object, apiVersion, kind, metadata } as Reviewed;
}

function isBounded(spec: object, kind: string): boolean {
  const longest = kind === "RouteSettings" ? longestSnippet : longestText;
  const lists: Readonly<Record<string, number>> =
    kind === "TLSRoute" ? { ...longestLists, hostnames: mostNamesOfTls } : longestLists;
  let [values, matches, text] = [0, 0, 0];
  const pending: (readonly [field: string, value: unknown])[] = [["spec", spec]];
  while (pending.length > 0) {
    const [field, value] = pending.pop()!;
    values++;
    if (typeof value === "string") text += value.length;
    if (values > mostValues || text > mostText || (typeof value === "string" && value.length > longest)) return false;
    if (typeof value !== "object" || value === null) continue;
    const parts = Object.entries(value);
    const isList = Array.isArray(value);
    // Any program may choose the names of fields, such as `constructor`.
    const most = isList && Object.hasOwn(lists, field) ? lists[field]! : longestList;
    if (parts.length > most) return false;
    if (isList && field === "matches") matches += parts.length;
    if (matches > mostMatches) return false;
    // The items of a list have the name of its field, so that a list inside a list is bounded, too.
    pending.push(...(isList ? parts.map(([, part]) => [field, part] as const) : parts));
  }
  return true;
}

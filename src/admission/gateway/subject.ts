/**
 * Gateways and routes that the webhook is asked about. The API server has held them against their definitions, but whoever
 * reaches the port can ask, so sizes are bounded here. What has the wrong shape is found out by reading it (`warnings.ts`).
 */
import type { Gateway, Route } from "../../model/gateway/objects.ts";
import { gatewayGroup } from "../../model/gateway/objects.ts";
import { tableOf } from "../../model/snapshot.ts";

export type GatewayObject = Gateway | Route;

/** Whether the webhook has something to say about the kind. */
export function isReviewed({ group, version, kind }: Readonly<Record<string, unknown>>): boolean {
  if (group !== gatewayGroup || version !== "v1" || typeof kind !== "string") return false;
  return Object.hasOwn(tableOf, kind) && (kind === "Gateway" || kind.endsWith("Route"));
}

/** No list of the definitions is longer, and no text but annotations. */
const longestList = 256;
const longestText = 4_096;
/** 16 rules of 64 matches with all that a match may hold stay far below. */
const mostValues = 100_000;

/** The object with its place filled in, undefined where it is none, or larger than any that an API server stores. */
export function subjectOf(object: unknown, kind: string, namespace: string): GatewayObject | undefined {
  if (!isMapping(object) || !isMapping(object.metadata) || !isMapping(object.spec)) return undefined;
  const { name = "", creationTimestamp, uid, annotations, deletionTimestamp } = object.metadata;
  if (typeof name !== "string" || !isBounded(object.spec)) return undefined;
  const metadata = {
    name,
    namespace,
    ...(typeof uid === "string" ? { uid } : {}),
    ...(isMapping(annotations) ? { annotations } : {}),
    ...(typeof deletionTimestamp === "string" ? { deletionTimestamp } : {}),
    creationTimestamp: typeof creationTimestamp === "string" ? creationTimestamp : notYet,
  };
  return { ...object, apiVersion: `${gatewayGroup}/v1`, kind, metadata } as GatewayObject;
}

/** The age of what is not in the cluster: younger than all that is. */
const notYet = "9999-12-31T23:59:59Z";

function isBounded(spec: object): boolean {
  let values = 0;
  const pending: unknown[] = [spec];
  while (pending.length > 0) {
    const value = pending.pop();
    values++;
    if (values > mostValues || (typeof value === "string" && value.length > longestText)) return false;
    if (typeof value !== "object" || value === null) continue;
    const parts = Object.values(value);
    if (parts.length > longestList) return false;
    pending.push(...parts);
  }
  return true;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Numbers for metrics: how many Gateways, listeners and routes there are, and a version of them
 * that nginx serves.
 */
import { createHash } from "node:crypto";
import type { DesiredCondition, DesiredStatus } from "./status.ts";

export interface GatewayFigures {
  /** A text that is equal in all replicas that serve the same versions of the same objects. */
  readonly version: string;
  readonly gateways: Counted;
  readonly listeners: Counted;
  readonly attachedRoutes: number;
  readonly routes: Counted;
}

/** `ready` counts objects that are programmed, or routes that a Gateway has accepted. */
export interface Counted {
  readonly ready: number;
  readonly other: number;
}

export function figuresOf(statuses: Iterable<readonly [string, DesiredStatus]>): GatewayFigures {
  const counts = { gateways: none(), listeners: none(), routes: none() };
  const versions: string[] = [];
  let attachedRoutes = 0;
  for (const [key, status] of statuses) {
    const { uid = "", generation = 0 } = status.object.metadata;
    versions.push(`${key} ${uid} ${generation}`);
    if (status.kind === "route")
      count(
        counts.routes,
        status.parents.some((one) => isTrue(one.conditions, "Accepted")),
      );
    if (status.kind === "Gateway") count(counts.gateways, isTrue(status.conditions, "Programmed"));
    if (status.kind !== "Gateway" && status.kind !== "ListenerSet") continue;
    for (const listener of status.listeners) {
      count(counts.listeners, isTrue(listener.conditions, "Programmed"));
      attachedRoutes += listener.attachedRoutes;
    }
  }
  const version = createHash("sha256").update(versions.sort().join("\n")).digest("hex").slice(0, 12);
  return { version, attachedRoutes, ...counts };
}

const none = () => ({ ready: 0, other: 0 });

function count(of: { ready: number; other: number }, isReady: boolean): void {
  if (isReady) of.ready += 1;
  else of.other += 1;
}

function isTrue(conditions: readonly DesiredCondition[], type: string): boolean {
  return conditions.some((one) => one.type === type && one.status === "True");
}

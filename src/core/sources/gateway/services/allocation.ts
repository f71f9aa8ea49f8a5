/**
 * Chooses target ports. A port stays with its Gateway as long as the record has it. A released port
 * is reused only after ten minutes, because a load balancer with outdated data may still send the
 * former Gateway's traffic there. Ports that were never used come first, then those that were
 * released first.
 */
import { portKey } from "../../../model/gateway/services.ts";
import type { PortEntry, PortRecord, PortUse } from "./record.ts";

export const restMs = 600_000;

/** A port of a Gateway that needs a target port. */
export interface PortNeed extends PortUse {
  /** The target ports that the present Service names. */
  readonly named: number | undefined;
}

export interface Allocation {
  readonly record: PortRecord;
  /** Ports whose Service had a target port that it cannot keep. */
  readonly moved: readonly { readonly need: PortNeed; readonly to: number | undefined }[];
  /**
   * The time until a port becomes available for which a Gateway waits; undefined if no Gateway
   * waits, or no port will become available.
   */
  readonly waitMs: number | undefined;
}

export interface Question {
  readonly record: PortRecord;
  /** The needed ports, those of the oldest Gateway first. */
  readonly needs: readonly PortNeed[];
  /** Ports on which nginx may listen. */
  readonly allowed: readonly number[];
  /**
   * Whether a Service may still lead to a port that is no longer needed, so that it is not released
   * yet.
   */
  readonly isHeld: (target: number, use: PortUse) => boolean;
  readonly nowMs: number;
}

export function allocate({ record, needs, allowed, isHeld, nowMs }: Question): Allocation {
  const mayBeUsed = new Set(allowed);
  const missing = new Map(needs.map((need) => [keyOf(need), need]));
  const entries = new Map<number, PortEntry>();
  for (const [target, entry] of [...record.entries].sort(([one], [other]) => one - other)) {
    if (!mayBeUsed.has(target)) continue;
    const need = entry.kind === "used" ? missing.get(keyOf(entry.use)) : undefined;
    if (need !== undefined) {
      missing.delete(keyOf(need));
      entries.set(target, { kind: "used", use: useOf(need) });
    } else if (entry.kind === "freed" || isHeld(target, entry.use)) entries.set(target, entry);
    else entries.set(target, { kind: "freed", atMs: nowMs });
  }
  for (const [key, need] of missing) {
    const { named } = need;
    if (named === undefined || !mayBeUsed.has(named) || entries.has(named)) continue;
    entries.set(named, { kind: "used", use: useOf(need) });
    missing.delete(key);
  }
  const moved: { readonly need: PortNeed; readonly to: number | undefined }[] = [];
  let isExhausted = false;
  for (const need of missing.values()) {
    const target = freePort(entries, allowed, nowMs);
    if (target === undefined) isExhausted = true;
    else entries.set(target, { kind: "used", use: useOf(need) });
    if (need.named !== undefined) moved.push({ need, to: target });
  }
  return { record: { entries, isExhausted }, moved, waitMs: isExhausted ? nextMs(entries, nowMs) : undefined };
}

const keyOf = (use: PortUse) => `${use.uid} ${portKey(use)}`;
const useOf = ({ uid, service, port, protocol }: PortNeed): PortUse => ({ uid, service, port, protocol });

function freePort(entries: ReadonlyMap<number, PortEntry>, allowed: readonly number[], nowMs: number) {
  const fresh = allowed.find((port) => !entries.has(port));
  if (fresh !== undefined) return fresh;
  const [first] = freedIn(entries).filter(({ atMs }) => nowMs - atMs >= restMs);
  return first?.port;
}

function nextMs(entries: ReadonlyMap<number, PortEntry>, nowMs: number): number | undefined {
  const [first] = freedIn(entries);
  return first === undefined ? undefined : Math.max(0, first.atMs + restMs - nowMs);
}

/** Returns the released ports, the one that was released first at the beginning. */
function freedIn(entries: ReadonlyMap<number, PortEntry>): { readonly port: number; readonly atMs: number }[] {
  return [...entries]
    .flatMap(([port, entry]) => (entry.kind === "freed" ? [{ port, atMs: entry.atMs }] : []))
    .sort((one, other) => one.atMs - other.atMs || one.port - other.port);
}

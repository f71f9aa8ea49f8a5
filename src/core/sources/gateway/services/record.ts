/**
 * The record of target ports: for each port of nginx the Gateway and port to which it belongs, or
 * the time at which it was released. It is a ConfigMap in the controller's own namespace, which the
 * leader writes and every replica reads.
 *
 * Services have the same ports, but only the record decides: tenants may edit Services in their
 * namespaces, and must not get the port of another Gateway in this way. Without the record, as
 * after it was deleted, the leader makes it again from the Services.
 */
import { portKey, type TransportProtocol } from "../../../model/gateway/services.ts";
import type { ConfigMap } from "../../../model/objects.ts";

/** One port of one Gateway. */
export interface PortUse {
  /** The key of the Gateway. */
  readonly uid: string;
  /** `namespace/name` of its Service. */
  readonly service: string;
  /** The port that clients use. */
  readonly port: number;
  readonly protocol: TransportProtocol;
}

export type PortEntry =
  | { readonly kind: "used"; readonly use: PortUse }
  /** Milliseconds since 1970. */
  | { readonly kind: "freed"; readonly atMs: number };

export interface PortRecord {
  /** The owner of each target port. */
  readonly entries: ReadonlyMap<number, PortEntry>;
  /** Whether a Gateway did not get a port, because none was left. */
  readonly isExhausted: boolean;
}

export const emptyRecord: PortRecord = { entries: new Map(), isExhausted: false };

const exhausted = "exhausted";
const used = /^used (\S+) (\d{1,5})\/(TCP|UDP) (\S+)$/;

/** Reads the record. Lines that cannot be read count as absent. */
export function readRecord(configMap: ConfigMap | undefined): PortRecord {
  const data = configMap?.data ?? {};
  const entries = new Map<number, PortEntry>();
  for (const [key, text] of Object.entries(data)) {
    const entry = /^\d{1,5}$/.test(key) ? readEntry(text) : undefined;
    if (entry !== undefined) entries.set(Number(key), entry);
  }
  return { entries, isExhausted: data[exhausted] === "true" };
}

function readEntry(text: string): PortEntry | undefined {
  const [, service, port, protocol, uid] = used.exec(text) ?? [];
  if (uid !== undefined) {
    const use = { uid, service: service!, port: Number(port), protocol: protocol as TransportProtocol };
    return { kind: "used", use };
  }
  const atMs = text.startsWith("freed ") ? Date.parse(text.slice("freed ".length)) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : { kind: "freed", atMs };
}

/** Returns the `data` of the ConfigMap. Equal records give equal texts. */
export function recordData({ entries, isExhausted }: PortRecord): Readonly<Record<string, string>> {
  const lines = [...entries]
    .sort(([one], [other]) => one - other)
    .map(([port, entry]) => [port, entryText(entry)] as const);
  return { ...Object.fromEntries(lines), ...(isExhausted ? { [exhausted]: "true" } : {}) };
}

function entryText(entry: PortEntry): string {
  if (entry.kind === "freed") return `freed ${new Date(entry.atMs).toISOString()}`;
  const { service, uid } = entry.use;
  return `used ${service} ${portKey(entry.use)} ${uid}`;
}

/**
 * Returns target ports by the uid of the Gateway and by `portKey`. Ports that the flags do not
 * allow are left out.
 */
export function targetsIn(
  { entries }: PortRecord,
  allowed: readonly number[],
): ReadonlyMap<string, Readonly<Record<string, number>>> {
  const mayBeUsed = new Set(allowed);
  const targets = new Map<string, Record<string, number>>();
  for (const [target, entry] of [...entries].sort(([one], [other]) => one - other)) {
    if (entry.kind !== "used" || !mayBeUsed.has(target)) continue;
    const its = targets.get(entry.use.uid) ?? {};
    its[portKey(entry.use)] ??= target;
    targets.set(entry.use.uid, its);
  }
  return targets;
}

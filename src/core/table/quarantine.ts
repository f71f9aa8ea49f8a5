/**
 * Refusals of nginx, as an input of `translate`: versions of objects, keys of the settings and
 * ports that must not be rendered again. A changed object is another version and gets another try.
 */
import { hash } from "node:crypto";
import { kindAndKey, type ObjectMeta } from "../model/objects.ts";

export interface Quarantine {
  /** Objects by their `objectKey`. */
  readonly objects: Refusals;
  /** Settings by ConfigMap key; `version` is the text. */
  readonly settings: Refusals;
  /** Ports of TCP and UDP services, by `tcp/5432`; `version` is the text in their ConfigMap. */
  readonly ports: Refusals;
}

export interface Refusal {
  readonly version: string;
  /** nginx's message. */
  readonly why: string;
  /**
   * Whether the search for the cause still runs, so that this one may not be the cause and is not
   * reported yet.
   */
  readonly suspected?: true;
}

export type Refusals = ReadonlyMap<string, Refusal>;

export const emptyQuarantine: Quarantine = { objects: new Map(), settings: new Map(), ports: new Map() };

export function reduced({ objects, settings, ports }: Quarantine, by: (refusals: Refusals) => Refusals): Quarantine {
  return { objects: by(objects), settings: by(settings), ports: by(ports) };
}

/** Returns the number of refused objects of each kind. Ingresses have a number even if it is 0. */
export function countByKind(objects: Refusals): Readonly<Record<string, number>> {
  const counts: Record<string, number> = { Ingress: 0 };
  for (const called of objects.keys()) {
    const [kind] = kindAndKey(called);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Returns the refusals without those that are only suspected. */
export function withoutSuspects(refusals: Refusals): Refusals {
  return new Map([...refusals].filter(([, { suspected }]) => suspected !== true));
}

/** Whether a search for the cause of a refusal runs, so that some refusals are only suspected. */
export function hasSuspects({ objects, settings, ports }: Quarantine): boolean {
  return [objects, settings, ports].some((group) => [...group.values()].some(({ suspected }) => suspected === true));
}

/** An object whose spec counts. */
export interface Versioned {
  readonly metadata: Pick<ObjectMeta, "uid" | "annotations">;
  readonly spec?: unknown;
}

/**
 * Returns a text that is equal for two objects with the same content, whatever their status is,
 * also after a restart.
 */
export function versionOf({ metadata, spec }: Versioned): string {
  const content = JSON.stringify([metadata.uid, metadata.annotations, spec]);
  return hash("sha256", content).slice(0, 32);
}

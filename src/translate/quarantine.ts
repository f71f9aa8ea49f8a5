/**
 * What nginx refused, as an input of `translate`: versions of Ingresses and texts of ConfigMap keys that must not be rendered
 * again. A changed object is another version and gets another try.
 */
import { hash } from "node:crypto";
import type { Ingress } from "../model/objects.ts";

export interface Quarantine {
  /** By `namespace/name`. */
  readonly ingresses: ReadonlyMap<string, Refusal>;
  /** By ConfigMap key; `version` is the text. */
  readonly settings: ReadonlyMap<string, Refusal>;
  /** Ports of TCP and UDP services, by `tcp/5432`; `version` is the text in their ConfigMap. */
  readonly ports: ReadonlyMap<string, Refusal>;
}

export interface Refusal {
  readonly version: string;
  /** What nginx said. */
  readonly why: string;
  /** The search for the author still runs, so that this one may be innocent: nothing is reported yet. */
  readonly suspected?: true;
}

export const emptyQuarantine: Quarantine = { ingresses: new Map(), settings: new Map(), ports: new Map() };

export type Refusals = ReadonlyMap<string, Refusal>;

export function reduced({ ingresses, settings, ports }: Quarantine, by: (refusals: Refusals) => Refusals): Quarantine {
  return { ingresses: by(ingresses), settings: by(settings), ports: by(ports) };
}

/** The same map without those that are only suspected. */
export function withoutSuspects(refusals: Refusals): Refusals {
  return new Map([...refusals].filter(([, { suspected }]) => suspected !== true));
}

/** Equal for two objects that ask for the same: over a restart, and where only the status differs. */
export function versionOf({ metadata, spec }: Ingress): string {
  const asked = JSON.stringify([metadata.uid, metadata.annotations, spec]);
  return hash("sha256", asked).slice(0, 32);
}

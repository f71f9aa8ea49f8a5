import type { Problem } from "../model/problem.ts";
import type { FeatureValues } from "./registry.ts";

/** The meaning of the annotations of one Ingress. */
export interface Reading {
  readonly values: FeatureValues;
  /**
   * With `deny` its Locations answer 503; with `reject` this version of the Ingress is not applied
   * (RS-2.3).
   */
  readonly verdict: "serve" | "deny" | "reject";
  /** Sluice itself failed on the Ingress, so its values are not those that its annotations set. */
  readonly failed?: true;
  readonly problems: readonly Problem[];
  /**
   * The Problems that may lie in another object, which may change without a change of the Ingress.
   */
  readonly elsewhere: readonly Problem[];
  /**
   * Objects that were read, as `Kind namespace/name`. A change of one of them means a new reading.
   */
  readonly references: readonly string[];
}

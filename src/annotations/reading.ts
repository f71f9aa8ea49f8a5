import type { Problem } from "../problem.ts";
import type { FeatureValues } from "./registry.ts";

/** The meaning of the annotations of one Ingress. */
export interface Reading {
  readonly values: FeatureValues;
  /**
   * `deny`: its Locations answer 503; `reject`: this version of the Ingress is not applied
   * (RS-2.3).
   */
  readonly verdict: "serve" | "deny" | "reject";
  /** Sluice itself failed on it, so that its values say nothing of what it asks for. */
  readonly failed?: true;
  readonly problems: readonly Problem[];
  /**
   * Those of the problems that may lie in another object, which can come or be mended without a
   * change of the Ingress.
   */
  readonly elsewhere: readonly Problem[];
  /**
   * Objects that were looked at, as `Kind namespace/name`; a change of one of them means reading
   * again.
   */
  readonly references: readonly string[];
}

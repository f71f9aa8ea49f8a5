/** The answer for the view Shadow: how routes in shadow would answer differently. */
import type { List } from "./list.ts";

/** `in shadow` is counted now. The other states are for routes that were in shadow before. */
export type ShadowState = "in shadow" | "serves now" | "serves nothing";

/** One match of a route in shadow, and the object that takes its requests now. */
export interface ShadowRow {
  /** `*` if no host is named. */
  readonly host: string;
  readonly path: string;
  /** `namespace/name` of the route in shadow. */
  readonly route: string;
  /** Empty if the rule has no name. */
  readonly rule: string;
  /** `namespace/gateway/name`. */
  readonly listener: string;
  /** `Ingress shop/web (/)`, or `no path of anybody`. */
  readonly now: string;
  readonly differences: readonly ShadowDifference[];
  readonly requests: number;
  /**
   * One of the requests, without headers and values of its query: `GET http://a.example/cart?id=`.
   */
  readonly example: string;
  readonly state: ShadowState;
  /** The end of its time in shadow, as ISO 8601; null while it is in shadow. */
  readonly until: string | null;
}

export interface ShadowDifference {
  /** `backend`, `path` …; `same` if nothing would change. */
  readonly kind: string;
  readonly means: string;
}

export interface ShadowList extends List<ShadowRow> {
  /** The number of requests of all rows in shadow. */
  readonly requests: number;
  readonly same: number;
}

/** The answer for the view Shadow: what routes in shadow would do otherwise. */
import type { List } from "./list.ts";

/** `in shadow` still counts; the others say what became of a route that was in shadow. */
export type ShadowState = "in shadow" | "serves now" | "serves nothing";

/** One match of a route in shadow, and what takes its requests now. */
export interface ShadowRow {
  /** `*` where no host is named. */
  readonly host: string;
  readonly path: string;
  /** `namespace/name` of the route in shadow. */
  readonly route: string;
  /** Empty where the rule has no name. */
  readonly rule: string;
  /** `namespace/gateway/name`. */
  readonly listener: string;
  /** `Ingress shop/web (/)`, or `no path of anybody`. */
  readonly now: string;
  readonly differences: readonly ShadowDifference[];
  readonly requests: number;
  /** One of them, without headers and values of its query: `GET http://a.example/cart?id=`. */
  readonly example: string;
  readonly state: ShadowState;
  /** When it was in shadow no more, as ISO 8601; null while it is. */
  readonly until: string | null;
}

export interface ShadowDifference {
  /** `backend`, `path` …; `same` where nothing would be otherwise. */
  readonly kind: string;
  readonly means: string;
}

export interface ShadowList extends List<ShadowRow> {
  /** Requests of all rows in shadow, and those of them that would be answered as now. */
  readonly requests: number;
  readonly same: number;
}

/** The answers for the views Routes and Route. */
import type { List } from "./list.ts";

/**
 * A route that is `ok` answers. `failing` means that one of its requests or endpoints failed in the
 * last minute. All other states are reasons why requests get a 503 or do not arrive.
 */
export type RouteState = "ok" | "failing" | "closed" | "no endpoints" | "unreachable";

export interface RouteRow {
  /** `*` for all hosts; that of the listener if the route of a Gateway names none. */
  readonly host: string;
  /** The host by which its requests are counted: `_` for a listener's routes without hostnames. */
  readonly countedHost: string;
  readonly path: string;
  readonly match: "Exact" | "Prefix" | "regex" | "unreachable";
  readonly owner: ObjectRef;
  /** `namespace/gateway/name` of the listener; empty for an Ingress. */
  readonly listener: string;
  /** The conditions beside the path, in words; empty if the path alone decides. */
  readonly when: string;
  /** `namespace/name:port`, or `redirect 301`; empty if the default backend answers. */
  readonly backend: string;
  /** The number of endpoints that get requests, of all backends. */
  readonly ready: number;
  readonly notReady: number;
  /** The number of canaries beside the backend. */
  readonly canaries: number;
  readonly state: RouteState;
  /** The reason why it is `closed`; empty in all other states. */
  readonly why: string;
  /** Null while requests are not counted. */
  readonly traffic: Traffic | null;
}

export interface ObjectRef {
  readonly kind: string;
  /** `namespace/name`. */
  readonly name: string;
}

/** Figures of the last seconds that were measured. */
export interface Traffic {
  readonly requestsPerSecond: number;
  /** Answers with 5xx. */
  readonly errorsPerSecond: number;
  /** Null if no request came. */
  readonly p50: Quantile | null;
  readonly p99: Quantile | null;
}

/**
 * A quantile, estimated within a bucket of the histogram. With `orMore` it is above the last
 * bucket.
 */
export interface Quantile {
  readonly seconds: number;
  readonly orMore: boolean;
}

export interface RouteList extends List<RouteRow> {
  /** The reason why there are no figures of requests; empty if there are some. */
  readonly notCounted: string;
}

export interface RouteDetail extends RouteRow {
  readonly certificate: { readonly secret: string; readonly expires: string } | null;
  readonly backends: readonly BackendRow[];
  readonly canaryRows: readonly CanaryRow[];
  /** Endpoints of all backends; at most 500. */
  readonly endpoints: readonly EndpointRow[];
  readonly moreEndpoints: number;
  readonly settings: readonly GivenSetting[];
  /** Sentences about its owner, its Services and its certificate. */
  readonly problems: readonly string[];
  /** Its last failed requests, the newest first, in words; kept while requests are counted. */
  readonly failed: readonly string[];
  readonly notCounted: string;
}

export interface BackendRow {
  /** `namespace/name:port`. */
  readonly service: string;
  /** Its share of requests, from 0 to 1. */
  readonly share: number;
  readonly balance: string;
  readonly ready: number;
  /** The reason why it cannot be used; empty if it can. */
  readonly unusable: string;
}

export interface CanaryRow {
  readonly service: string;
  readonly when: string;
  readonly ready: number;
}

export interface EndpointRow {
  readonly service: string;
  /** `address:port`. */
  readonly address: string;
  readonly state: "ready" | "draining" | "not ready";
  /**
   * The moving average of its answer times; null if nginx measures none, or has no recent ones.
   */
  readonly answerSeconds: number | null;
  /**
   * Requests that went on to another try after it, in the last ten minutes; null if nginx does
   * not answer.
   */
  readonly failures: number | null;
  /** Its last error in nginx's words, with number and time; empty if none is known. */
  readonly lastError: string;
}

/** A setting that an author or the operator has given. */
export interface GivenSetting {
  readonly key: string;
  /** Null if the page does not show it. */
  readonly value: string | null;
  /** `annotation of Ingress shop/web` or `key of ConfigMap ingress-nginx/controller`. */
  readonly from: string;
}

/**
 * The present state of a controller as JSON: the answer of `sluice status -o json` and of the
 * page's Overview. Times have the form of RFC 3339.
 */

export interface StatusAnswer {
  readonly version: 1;
  readonly controller: {
    readonly release: string;
    readonly startedAt: string;
    readonly mode: "dynamic" | "static";
    /** The version of nginx. */
    readonly nginx: string;
    /** `namespace/name`; absent outside of a cluster. */
    readonly pod?: string;
  };
  /** Absent until nginx serves something of this controller. */
  readonly live?: {
    /** The hash of nginx.conf. */
    readonly generation: string;
    /** The time since which nginx serves this text. */
    readonly since: string;
    /** The time at which the last change of any kind became live. */
    readonly changedAt: string;
  };
  /**
   * A change that nginx does not have yet, or refuses; absent if nginx serves everything that is
   * wanted.
   */
  readonly behind?: { readonly why: string };
  /** What needs attention, the worst first; empty if nothing is wrong. */
  readonly attention: readonly Attention[];
  readonly counts: StatusCounts;
  readonly reloads: {
    readonly succeeded: number;
    readonly failed: number;
    /** The number of reloads for each reason, the most frequent first. */
    readonly why: readonly { readonly reason: string; readonly count: number }[];
  };
  /** Newest first, at most 100. */
  readonly changes: readonly StatusChange[];
  readonly nginx: {
    readonly isRunning: boolean;
    /** Workers that accept connections. */
    readonly workers: number;
    /** The number of older generations whose workers still finish requests. */
    readonly drainingGenerations: number;
    readonly drainingWorkers: number;
    /** The number of times that it was started again after it had ended by itself. */
    readonly restarts: number;
    /** Open connections; absent if nginx does not answer. */
    readonly connections?: number;
  };
  /**
   * Shared memory of routes, endpoints and certificates; absent in static mode, or if nginx does
   * not answer.
   */
  readonly memory?: { readonly capacityBytes: number; readonly freeBytes: number };
  /** Absent outside of a cluster. */
  readonly leader?: {
    readonly isOwn: boolean;
    /** Identity of the leader, if it is known. */
    readonly name?: string;
  };
}

export interface Attention {
  readonly severity: "error" | "warning";
  /** `2 routes are failing, such as shop.example.com/`. */
  readonly says: string;
  /** The view of the page with details, and its filter: `routes?filter=failing`; may be empty. */
  readonly view: string;
}

export interface StatusCounts {
  readonly hosts: number;
  /** The rows of the list of routes: a route on two listeners has two. */
  readonly routes: number;
  readonly endpoints: number;
  readonly certificates: number;
  readonly gateways: number;
  readonly streams: number;
  /** Problems by severity. */
  readonly problems: { readonly error: number; readonly warning: number };
  /** Objects and keys that nginx refused, and that are set aside. */
  readonly quarantined: number;
}

export interface StatusChange {
  readonly at: string;
  /**
   * `Ingress shop/web changed (spec.rules)`, at most five; empty if no object changed, as with a
   * template.
   */
  readonly objects: readonly string[];
  /** The number of further objects that changed. */
  readonly more: number;
  /** Records that were published, by kind: `{ host: 1 }`. */
  readonly published: Readonly<Record<string, number>>;
  /** `waiting` means that the change waits for a reload that has not begun or not ended. */
  readonly outcome: "live" | "waiting" | "refused" | "failed";
  /** The time from the notice of the change until it was live, or until its outcome was known. */
  readonly tookMs: number;
  /**
   * Absent if no reload was needed. `why` names the parts of nginx.conf, and `by` the directives
   * with their objects, such as `client_max_body_size of Ingress shop/web`.
   */
  readonly reload?: { readonly why: readonly string[]; readonly by?: string; readonly tookMs?: number };
  /** nginx's message, or another description of the failure. */
  readonly problem?: string;
}

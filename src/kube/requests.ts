/** What callers request of a Client, and what they get for it. */
import type { Clock } from "../base/timing/clock.ts";
import type { Transport } from "./transport.ts";

export interface Selection {
  /** If it is absent, all namespaces are meant. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends Selection {
  readonly limit?: number;
  readonly continue?: string;
}

export interface List<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** The token of the next page; empty on the last one. */
  readonly continue: string;
}

export interface WatchOptions extends Selection {
  readonly resourceVersion?: string;
  /** The server ends the watch after this long. */
  readonly timeoutSeconds: number;
  /** A connection without any data, even a bookmark, for this time counts as dead. */
  readonly inactivityMs: number;
  /** Requests the present objects as `ADDED` events first (WatchList). */
  readonly sendInitialEvents?: boolean;
  /** Called when the server has begun to answer. */
  readonly onOpened?: () => void;
}

export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  /** A bookmark has only metadata. */
  readonly object: T;
}

export interface WriteOptions {
  readonly subresource?: string;
  readonly fieldManager?: string;
}

export interface Patch extends WriteOptions {
  /** `apply` is server-side apply and needs a fieldManager. */
  readonly type: "merge" | "json" | "apply";
  readonly body: unknown;
  /** With `apply`: takes fields that another manager owns. */
  readonly force?: boolean;
}

export interface DeleteOptions {
  readonly uid?: string;
}

export interface ClientOptions {
  readonly userAgent?: string;
  readonly clock?: Clock;
  /** The limit until a request is answered, and for pauses within an answer that is no watch. */
  readonly timeoutMs?: number;
  /** The limit until a write is answered; never more than `timeoutMs`. */
  readonly writeTimeoutMs?: number;
  readonly report?: (request: SentRequest) => void;
  /** Sends the requests in place of connections of its own. */
  readonly transport?: Pick<Transport, "send" | "close">;
}

/** A request that ended, with or without an answer, for metrics. */
export interface SentRequest {
  readonly verb: Verb;
  readonly path: string;
  /** The HTTP status; 0 when no answer came. */
  readonly code: number;
  /** The time until the head of the answer. */
  readonly tookMs: number;
  /** The reason of the failure if no answer came, such as `Silent`. */
  readonly reason?: string;
}

/** The verbs of RBAC. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

/** A kind as the API server offers it. */
export interface ServedKind {
  /** The plural, as in paths. */
  readonly name: string;
  readonly kind: string;
}

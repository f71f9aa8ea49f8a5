/**
 * The decision about a request as a value: each step in nginx's order, and how it ends. Printers
 * and pages use it.
 */
import type { Canary, Upstream, WeightedBackend } from "../../core/model/configuration.ts";
import type { Listener, ListenerPort } from "../../core/model/listeners.ts";
import type { FoundHost } from "./host.ts";
import type { FoundPath, RouteLost } from "./paths.ts";
import type { ReadRequest } from "./request.ts";

/** A guard or limit before the backend that may stop a request. */
export interface Guard {
  /** The feature's name. */
  readonly what: string;
  /** A sentence with the requirement of the guard, and whether this request meets it. */
  readonly says: string;
  /**
   * `depends` means that the outcome depends on something that is not known in advance, such as a
   * password or the client's address.
   */
  readonly outcome: "passes" | "stops" | "depends";
  /** The status that the client gets if the guard stops the request. */
  readonly status?: number;
}

/** A guard that stops the request; a redirect has its target. */
export type Stop = Guard & { readonly location?: string };

export interface BackendShare {
  readonly backend: WeightedBackend;
  /** Its share of the requests, from 0 to 1. */
  readonly share: number;
  readonly upstream: Upstream | undefined;
}

export type End =
  /** nginx answers by itself. */
  | { readonly kind: "answer"; readonly status: number; readonly why: string; readonly location?: string }
  | {
      readonly kind: "proxied";
      readonly upstream: Upstream;
      /** Canaries that may take the request instead. */
      readonly canaries: readonly { readonly canary: Canary; readonly upstream: Upstream | undefined }[];
      /** The path that the backend gets, if it is rewritten. */
      readonly rewritten?: string;
      /** Whether another Service stands in because the Location's own has no endpoints. */
      readonly standsIn: boolean;
    }
  /** Only nginx can decide. */
  | { readonly kind: "unclear"; readonly why: string };

export interface Decision {
  /** Undefined if nginx answers 400 before anything else. */
  readonly request: ReadRequest | undefined;
  readonly host: FoundHost | undefined;
  /** Undefined if the host alone decides. */
  readonly path: FoundPath | undefined;
  /** The guards in nginx's order, up to the one that stops the request. */
  readonly guards: readonly Guard[];
  /**
   * The Location's own backends that have a share of the requests; empty if none gets the request.
   */
  readonly backends: readonly BackendShare[];
  /** The end of the request. With several backends, it is the end at the first one. */
  readonly end: End;
  /** Statuses whose answer comes from another backend. */
  readonly errorPages: readonly number[];
}

/** The decision at a port with several listeners. */
export interface GatewayDecision extends Decision {
  readonly port: ListenerPort;
  readonly listener: Listener;
  /**
   * Routes that take the path but whose conditions the request does not meet. If no route takes
   * the request, those of its host with other paths follow.
   */
  readonly lost: readonly RouteLost[];
  /**
   * The reason why an Ingress on the same port gets the request, if one does. The route then has no
   * effect.
   */
  readonly passedOn?: string;
  /**
   * The Ingress's host of the same name that gets the request, if it is a wildcard. It comes before
   * aliases that are patterns, which otherwise come first.
   */
  readonly wildcard?: FoundHost;
  /** Whether a route names the host, itself or by a wildcard, if an Ingress gets the request. */
  readonly isNamed?: boolean;
}

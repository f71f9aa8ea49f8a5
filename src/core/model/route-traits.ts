import type { AuthService, CopyWay, RetriedStatus } from "./filters.ts";

/**
 * Requirements of a route on the text of its Location; the values themselves are data. Absent
 * traits require nothing.
 */
export interface RouteTraits {
  /** Whether Sluice itself answers some requests, by redirects or preflights of browsers. */
  readonly answers?: true;
  /** Whether headers are changed or requests are copied. */
  readonly steers?: true;
  /** Whether requests are copied, so that a copy may come back. */
  readonly copies?: true;
  /** Whether they are copied when they are over, so that their bodies are kept until then. */
  readonly copiesLate?: true;
  /** The ways in which copies are sent, each once, except plain HTTP/1.1 without TLS. */
  readonly ways?: readonly CopyWay[];
  /** Whether the path is rewritten, and the backend gets the rest as the client wrote it. */
  readonly spells?: true;
  /** Whether the Host header for the backend is changed. */
  readonly names?: true;
  /**
   * Request headers that Sluice sets for all backends, and that this route sets or removes itself;
   * in lower case, sorted.
   */
  readonly owns?: readonly string[];
  /** Whether requests have timeouts of their own. */
  readonly limited?: true;
  /** Whether no time is too long, so that only connections may fail for it. */
  readonly endless?: true;
  /**
   * The protocol and TLS of subrequests to an auth service, their headers, and whether they have
   * the body.
   */
  readonly asks?: Pick<AuthService, "isGrpc" | "isSecure" | "tls"> & {
    readonly headers: readonly string[];
    readonly body: boolean;
  };
  /**
   * Statuses after which requests are tried again, as after a failed connection; absent if the
   * route has no retries.
   */
  readonly retriedAfter?: readonly RetriedStatus[];
  /** Whether its limits or its sessions decide which endpoint gets a request. */
  readonly drawsByRoute?: true;
}

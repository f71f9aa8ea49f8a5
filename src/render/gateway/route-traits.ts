import type { RetriedStatus } from "../../model/filters.ts";

/**
 * The demands of a route on the text of its Location; its values are data. Absent traits ask for
 * nothing.
 */
export interface RouteTraits {
  /** Whether Sluice itself answers some requests: redirects and the preflights of browsers. */
  readonly answers?: true;
  /** Whether headers are changed or requests are copied. */
  readonly steers?: true;
  /** Whether requests are copied, so that a copy may come back. */
  readonly copies?: true;
  /** Whether the backend is asked for another host. */
  readonly names?: true;
  /**
   * Request headers that Sluice sets for all backends and this route sets or removes itself; lower
   * case, sorted.
   */
  readonly owns?: readonly string[];
  /** Whether requests have a deadline. */
  readonly limited?: true;
  /** Which headers of a request an auth service is asked with, and whether it gets the body. */
  readonly asks?: { readonly headers: readonly string[]; readonly body: boolean };
  /** Whether clients have sessions. */
  readonly persists?: true;
  /**
   * Statuses after which requests are tried again, as they are when a connection fails; absent
   * where the route asks for no retries.
   */
  readonly retries?: readonly RetriedStatus[];
}

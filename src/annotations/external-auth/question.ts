/**
 * The subrequest to an auth service and the use of its answer. It is the same for the auth-url of
 * an Ingress and for that of the operator.
 */
import type { Token } from "../../directives/token.ts";
import type { FollowedHeader } from "../../settings/followed.ts";
import type { AuthPool } from "./pool.ts";

export interface Question {
  /**
   * The author of its texts: texts of an Ingress become values of its routes, and the operator's
   * are the same for all.
   */
  readonly by: "ingress" | "operator";
  /** Absolute; may hold variables. */
  readonly url: string;
  /** The host of the URL, without its port; may hold variables. */
  readonly host: string;
  readonly method: string | undefined;
  /** May hold variables; empty: a 401 stays a 401. */
  readonly signin: string;
  /** The query parameter of the sign-in page that holds the address to return to. */
  readonly redirectParam: string;
  /** Names of the answer's headers that go to the backend. */
  readonly responseHeaders: readonly string[];
  /** Further headers of the subrequest. */
  readonly headers: readonly FollowedHeader[];
  /** Empty: the request's own URI. */
  readonly requestRedirect: string;
  readonly alwaysSetCookie: boolean;
  /** May hold variables; empty: answers are not cached. */
  readonly cacheKey: string;
  readonly cacheDurations: readonly string[];
  /** Connections that are kept open; undefined: each subrequest opens its own. */
  readonly pool: AuthPool | undefined;
  /**
   * Whether only 200 counts as a good answer, as ingress-nginx has it with auth-keepalive
   * (RS-16.8).
   */
  readonly only200: boolean;
  readonly snippet: Token | undefined;
  /** Names of the variables that the snippet declares. */
  readonly declares: readonly string[];
}

/** `refuse`: the address of the service is unknown, so no request passes. */
export type ExternalAuth =
  | { readonly kind: "none" }
  | { readonly kind: "refuse" }
  | { readonly kind: "ask"; readonly question: Question };

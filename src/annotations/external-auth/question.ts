/**
 * The question to an auth service and the use of its answer: the same for an Ingress's own auth-url
 * and the operator's.
 */
import type { Token } from "../../directives/token.ts";
import type { FollowedHeader } from "../../settings/followed.ts";
import type { AuthPool } from "./pool.ts";

export interface Question {
  /**
   * The author of its texts: an Ingress's are values of its routes, the operator's are the same for
   * all.
   */
  readonly by: "ingress" | "operator";
  /** Absolute, with variables. */
  readonly url: string;
  /** The URL's host, without port; may hold variables. */
  readonly host: string;
  readonly method: string | undefined;
  /** With variables; empty: a 401 stays a 401. */
  readonly signin: string;
  /** Query parameter of the sign-in page that says where to come back to. */
  readonly redirectParam: string;
  /** Names of headers of the answer that go to the backend. */
  readonly responseHeaders: readonly string[];
  /** More headers of the question. */
  readonly headers: readonly FollowedHeader[];
  /** Empty: the request's own URI. */
  readonly requestRedirect: string;
  readonly alwaysSetCookie: boolean;
  /** With variables; empty: answers are not kept. */
  readonly cacheKey: string;
  readonly cacheDurations: readonly string[];
  /** Connections that are kept; undefined: one for each question. */
  readonly pool: AuthPool | undefined;
  /**
   * Whether of all good answers only 200 counts, as ingress-nginx has it with auth-keepalive
   * (RS-16.8).
   */
  readonly only200: boolean;
  readonly snippet: Token | undefined;
  /** Names of the variables that the snippet declares. */
  readonly declares: readonly string[];
}

/** `refuse`: the service cannot be known, so no request passes. */
export type ExternalAuth =
  | { readonly kind: "none" }
  | { readonly kind: "refuse" }
  | { readonly kind: "ask"; readonly question: Question };

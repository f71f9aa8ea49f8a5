/**
 * The subrequest to an auth service and the use of its answer. It is the same for the auth-url of
 * an Ingress and for that of the operator.
 */

import type { FollowedHeader } from "../../settings/followed.ts";
import type { Token } from "../../tokens/token.ts";
import type { AuthPool } from "./pool.ts";

export interface Question {
  /**
   * The author of its texts. Texts of an Ingress become values of its routes, and the operator's
   * texts are the same for all.
   */
  readonly by: "ingress" | "operator";
  /** An absolute URL, which may hold variables. */
  readonly url: string;
  /** The host of the URL, without its port; may hold variables. */
  readonly host: string;
  readonly method: string | undefined;
  /** The sign-in page, which may hold variables. If it is empty, a 401 stays a 401. */
  readonly signin: string;
  /** The query parameter of the sign-in page that holds the address to return to. */
  readonly redirectParam: string;
  /** Names of the answer's headers that go to the backend. */
  readonly responseHeaders: readonly string[];
  /** Further headers of the subrequest. */
  readonly headers: readonly FollowedHeader[];
  /** The address to return to. If it is empty, it is the request's own URI. */
  readonly requestRedirect: string;
  readonly alwaysSetCookie: boolean;
  /**
   * The key of cached answers, which may hold variables. If it is empty, answers are not cached.
   */
  readonly cacheKey: string;
  readonly cacheDurations: readonly string[];
  /** Connections that are kept open. If it is undefined, each subrequest opens its own. */
  readonly pool: AuthPool | undefined;
  /**
   * Whether only 200 counts as a good answer, as with auth-keepalive in ingress-nginx (RS-16.8).
   */
  readonly only200: boolean;
  readonly snippet: Token | undefined;
  /** Names of the variables that the snippet declares. */
  readonly declares: readonly string[];
}

/** With `refuse`, the address of the service is unknown, so no request passes. */
export type ExternalAuth =
  | { readonly kind: "none" }
  | { readonly kind: "refuse" }
  | { readonly kind: "ask"; readonly question: Question };

/** Whether answers of the service are cached. */
export const keepsAnswers = ({ externalAuth: value }: { readonly externalAuth: ExternalAuth }): boolean =>
  value.kind === "ask" && value.question.cacheKey !== "";

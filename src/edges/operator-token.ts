/**
 * The operator's password for actions on the controller's own ports: ending it, profiles, and its
 * state. It is made at each start and is in the run folder with mode 0600. A local address or port
 * proves nothing: auth services, mirrors, OCSP responders and web pages in a local browser can lead
 * requests to 127.0.0.1 as well.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface Refusal {
  readonly status: 401 | 403;
  readonly why: string;
}

export class OperatorToken {
  readonly text = randomBytes(32).toString("base64url");

  /** Returns why `request` is refused; undefined if it is allowed. */
  refusal({ headers }: IncomingMessage): Refusal | undefined {
    if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined)
      return { status: 403, why: "a web page may not request this\n" };
    const given = /^Bearer ([\w-]+)$/i.exec(headers.authorization ?? "")?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), digest(this.text))) return undefined;
    return {
      status: 401,
      why: "the token in the file operator.token of the run folder is missing: Authorization: Bearer TOKEN\n",
    };
  }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Returns the headers of a request with the token. */
export const showing = (token: string): { readonly authorization: string } => ({
  authorization: `Bearer ${token.trim()}`,
});

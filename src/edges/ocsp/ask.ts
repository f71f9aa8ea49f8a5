/**
 * Sends OCSP requests over HTTP. A certificate names the responder, so its answer may be slow,
 * large or malformed.
 */

import type { AskedPolicy } from "../../core/kinds/asked.ts";
import { fetchChecked } from "../checked-fetch.ts";
import type { Ask } from "./responders.ts";

const headers = { "content-type": "application/ocsp-request", accept: "application/ocsp-response" };

/** Returns a function that sends requests, only to addresses that `policy` allows. */
export function askResponders(policy: AskedPolicy): Ask {
  return ({ url, body }, signal) =>
    fetchChecked({ url, policy, signal, method: "POST", headers, body }).catch((error: Error) => {
      throw new Error(`the responder ${url} ${error.message}`);
    });
}

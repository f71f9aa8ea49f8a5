/** Fetches the certificate of an issuer from the address that a certificate names. */

import type { AskedPolicy } from "../../core/kinds/asked.ts";
import { fetchChecked } from "../checked-fetch.ts";

/** Fetches only from addresses that `policy` allows. */
export function issuersFrom(policy: AskedPolicy): (url: string, signal: AbortSignal) => Promise<Uint8Array> {
  return (url, signal) =>
    fetchChecked({ url, policy, signal }).catch((error: Error) => {
      throw new Error(`${url} ${error.message}`);
    });
}

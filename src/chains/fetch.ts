/** Fetches the certificate of an issuer, from where a certificate says that it is. */
import { fetchChecked } from "../checked-fetch.ts";
import type { AskedPolicy } from "../kinds/asked.ts";

/** Fetches from addresses that `policy` allows. */
export function issuersFrom(policy: AskedPolicy): (url: string, signal: AbortSignal) => Promise<Uint8Array> {
  return (url, signal) =>
    fetchChecked({ url, policy, signal }).catch((error: Error) => {
      throw new Error(`${url} ${error.message}`);
    });
}

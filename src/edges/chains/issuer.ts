/**
 * Finds the issuer that a chain lacks: the address that its last certificate names, and whether the
 * fetched certificate is the right one. The server of the answer is not trusted, so the fetched
 * certificate counts only if its key has signed the last one of the chain.
 */
import { X509Certificate } from "node:crypto";

/**
 * Returns the address to fetch for `chain` (PEM); undefined if nothing is missing, or its last
 * certificate names no address.
 */
export function missingIssuer(chain: string): { readonly of: X509Certificate; readonly url: string } | undefined {
  const last = certificatesOf(chain).at(-1);
  const url = /^CA Issuers - URI:"?(https?:\/\/[^\s"]+)"?$/m.exec(last?.infoAccess ?? "")?.[1];
  return last === undefined || url === undefined || isRoot(last) ? undefined : { of: last, url };
}

/** Returns the certificate in `bytes`, DER or PEM, if it is the issuer of `of`. */
export function issuerIn(bytes: Uint8Array, of: X509Certificate): X509Certificate | undefined {
  try {
    const found = new X509Certificate(Buffer.from(bytes));
    return of.checkIssued(found) && of.verify(found.publicKey) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is a root, which is not sent: clients either have it already or do not trust it. */
export function isRoot(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate);
}

function certificatesOf(chain: string): X509Certificate[] {
  try {
    return (chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
      (pem) => new X509Certificate(pem),
    );
  } catch {
    return [];
  }
}

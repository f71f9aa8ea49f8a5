/**
 * The issuer that a chain lacks: where its last certificate says that it can be had, and whether
 * what came from there is it. The answer is a stranger's data: it counts only where its key has
 * signed that certificate.
 */
import { X509Certificate } from "node:crypto";

/**
 * The address to fetch for `chain` (PEM); undefined where nothing is missing, or its last
 * certificate does not say where it is.
 */
export function missingIssuer(chain: string): { readonly of: X509Certificate; readonly url: string } | undefined {
  const last = certificatesOf(chain).at(-1);
  const url = /^CA Issuers - URI:"?(https?:\/\/[^\s"]+)"?$/m.exec(last?.infoAccess ?? "")?.[1];
  return last === undefined || url === undefined || isRoot(last) ? undefined : { of: last, url };
}

/** The certificate in `bytes`, DER or PEM, if it is the issuer of `of`. */
export function issuerIn(bytes: Uint8Array, of: X509Certificate): X509Certificate | undefined {
  try {
    const found = new X509Certificate(Buffer.from(bytes));
    return of.checkIssued(found) && of.verify(found.publicKey) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Clients have the root already, or they do not trust it: it need not be sent. */
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

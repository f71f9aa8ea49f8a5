/**
 * Makes the certificate of the controller's webhook. A new authority signs it, and the authority's
 * key is then dropped. Only the API server gets the authority's certificate, because no other
 * program has to trust it.
 */
import { generateKeyPair, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { promisify } from "node:util";
import { issued } from "../../core/certificates/issue.ts";

/** All parts are PEM. Their names are the keys of the Secret that ingress-nginx's job made. */
export interface OwnCertificate {
  /**
   * The authority. After a renewal also the previous one, for replicas that still serve its
   * certificate.
   */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const dayMs = 24 * 3600 * 1000;
const lifeMs = 365 * dayMs;
const renewMs = 30 * dayMs;

const authority = { organization: "Sluice", commonName: "Sluice webhook authority" };
const webhook = { organization: "Sluice", commonName: "Sluice webhook" };

/**
 * Makes a certificate for these DNS names, valid for a year. It is accepted by a clock that is an
 * hour slow.
 */
export async function makeCertificate(names: readonly string[], now: Date): Promise<OwnCertificate> {
  const [signingKey, key] = await Promise.all([newKey(), newKey()]);
  const notBefore = new Date(now.getTime() - 3600_000);
  const signed = { issuer: authority, signingKey, notBefore, notAfter: new Date(now.getTime() + lifeMs) };
  return {
    ca: issued({ ...signed, subject: authority, key: signingKey, use: { kind: "authority" } }),
    cert: issued({ ...signed, subject: webhook, key, use: { kind: "server", names } }),
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/**
 * Whether the certificate can be served under this name for another month, to clients that have its
 * authority.
 */
export function isGood({ ca, cert, key }: OwnCertificate, name: string, now: Date): boolean {
  try {
    createSecureContext({ cert, key });
    const leaf = new X509Certificate(cert);
    const authority = authoritiesOf(ca).find(({ publicKey }) => leaf.verify(publicKey));
    if (authority === undefined || leaf.checkHost(name) === undefined) return false;
    return [leaf, authority].every(({ validToDate }) => validToDate.getTime() - now.getTime() > renewMs);
  } catch {
    return false;
  }
}

/** Adds the newest authorities of `older` that have not expired and are not there yet. */
export function withOlderAuthorities(fresh: OwnCertificate, older: string, now: Date): OwnCertificate {
  const own = new Set(authoritiesOf(fresh.ca).map(({ fingerprint256 }) => fingerprint256));
  const others = authoritiesOf(older).filter(({ fingerprint256 }) => !own.has(fingerprint256));
  const valid = others.filter(({ validToDate }) => validToDate > now);
  return { ...fresh, ca: [fresh.ca, ...valid.slice(0, 2).map(String)].join("") };
}

/** Returns the authorities of the bundle. Unreadable parts are ignored. */
function authoritiesOf(bundle: string): X509Certificate[] {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

async function newKey() {
  return (await promisify(generateKeyPair)("ec", { namedCurve: "P-256" })).privateKey;
}

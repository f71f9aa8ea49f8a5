/**
 * A certificate that the controller makes for its webhook: an authority that signs one certificate and is then forgotten, its
 * key with it. The API server is told the authority, so nobody else has to trust it.
 */
import "reflect-metadata";
import { webcrypto, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import * as x509 from "@peculiar/x509";

/** PEM. The keys of the Secret that ingress-nginx's job made have the same names. */
export interface OwnCertificate {
  /** The authority; after a renewal the one before as well, for replicas that still serve by it. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const dayMs = 24 * 3600 * 1000;
const lifeMs = 365 * dayMs;
const renewMs = 30 * dayMs;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** For these DNS names, for a year. A clock that is an hour behind takes it, too. */
export async function makeCertificate(names: readonly string[], now: Date): Promise<OwnCertificate> {
  x509.cryptoProvider.set(webcrypto as never);
  const [authorityKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  const valid = { notBefore: new Date(now.getTime() - 3600_000), notAfter: new Date(now.getTime() + lifeMs) };
  const signing = { signingAlgorithm: algorithm, ...valid };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...signing,
    name: "O=Sluice, CN=Sluice webhook authority",
    keys: authorityKeys as never,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    ...signing,
    subject: "O=Sluice, CN=Sluice webhook",
    issuer: authority.subject,
    publicKey: keys.publicKey as never,
    signingKey: authorityKeys.privateKey as never,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns", value }))),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    ca: `${authority.toString("pem")}\n`,
    cert: `${certificate.toString("pem")}\n`,
    key: `${x509.PemConverter.encode(pkcs8, "PRIVATE KEY")}\n`,
  };
}

/** Whether it can be served under this name for another month, to those who know its authority. */
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

/** With the newest authorities of `older` that have not ended and are not among its own. */
export function withOlderAuthorities(fresh: OwnCertificate, older: string, now: Date): OwnCertificate {
  const own = new Set(authoritiesOf(fresh.ca).map(({ fingerprint256 }) => fingerprint256));
  const others = authoritiesOf(older).filter(({ fingerprint256 }) => !own.has(fingerprint256));
  const valid = others.filter(({ validToDate }) => validToDate > now);
  return { ...fresh, ca: [fresh.ca, ...valid.slice(0, 2).map(String)].join("") };
}

/** What in it cannot be read is left out. */
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

function newKeys() {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

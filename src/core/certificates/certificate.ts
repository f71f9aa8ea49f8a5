/**
 * Reads TLS Secrets into Certificates. An expired pair is served nevertheless. A pair that does not
 * fit together, or cannot be read, gives no Certificate, and the default one is served in its place
 * (RS-10.2).
 */
import { createPrivateKey, hash, type KeyObject, X509Certificate } from "node:crypto";
import { bugWords, guarded } from "../../base/guarded.ts";
import { type Certificate, type CertificateIdentity, SecretText, type Weakness } from "../model/configuration.ts";
import { keyOf, type Secret } from "../model/objects.ts";
import { certificatesIn, type Issuer, issuersIn } from "./issuers.ts";
import { weakest, weaknessOf } from "./weakness.ts";

export type CertificateRead =
  | { readonly ok: true; readonly certificate: Certificate }
  | { readonly ok: false; readonly why: string };

const read = new WeakMap<Secret, CertificateRead>();

/** Returns the same object for the same Secret: reading a key pair costs a millisecond. */
export function certificateOf(secret: Secret): CertificateRead {
  let answer = read.get(secret);
  if (answer === undefined) {
    answer = guarded(
      () => readCertificate(secret),
      (bug) => ({
        ok: false,
        why: `cannot be read, which is a bug in Sluice (${bugWords(bug)}): please report it`,
      }),
    );
    read.set(secret, answer);
  }
  return answer;
}

/**
 * The pair that was read last, because a certificate for many hosts is often copied to many
 * namespaces.
 */
let last: { readonly chain: string; readonly key: string; readonly pair: PairRead } | undefined;

function readCertificate(secret: Secret): CertificateRead {
  const chain = decoded(secret, "tls.crt");
  const key = decoded(secret, "tls.key");
  if (chain === undefined) return { ok: false, why: "has no tls.crt" };
  if (key === undefined) return { ok: false, why: "has no tls.key" };
  if (last?.chain === chain && last.key === key)
    return { ok: true, certificate: certificateFrom(keyOf(secret), chain, key, last.pair) };
  const leaf = attempt(() => new X509Certificate(chain));
  if (leaf === undefined) return { ok: false, why: "has a tls.crt that is not a PEM certificate" };
  const privateKey = attempt(() => createPrivateKey(key));
  if (privateKey === undefined) return { ok: false, why: "has a tls.key that is not a PEM private key" };
  if (!fits(leaf, privateKey)) return { ok: false, why: misfitOf(chain, privateKey) };
  const issuers = issuersIn(chain);
  const unread = issuers.findIndex(({ ok }) => !ok);
  if (unread >= 0) return { ok: false, why: `has a tls.crt whose certificate ${unread + 2} cannot be read` };
  const pair = { leaf, privateKey, issuers };
  last = { chain, key, pair };
  return { ok: true, certificate: certificateFrom(keyOf(secret), chain, key, pair) };
}

/** A key pair that was read. */
interface PairRead {
  readonly leaf: X509Certificate;
  readonly privateKey: KeyObject;
  readonly issuers: readonly Issuer[];
}

/** Makes a Certificate of a pair that was read and fits together, or that this program made. */
export function certificateFrom(id: string, chain: string, key: string, read = pairRead(chain, key)): Certificate {
  const { leaf, privateKey } = read;
  return {
    id,
    chain: withFinalNewline(chain),
    key: new SecretText(withFinalNewline(key)),
    notBefore: leaf.validFromDate,
    notAfter: leaf.validToDate,
    names: namesOf(leaf),
    identity: identityOf(leaf, privateKey),
    weakness: weaknessIn(read),
    fingerprint: hash("sha256", `${chain}\0${key}`),
  };
}

function pairRead(chain: string, key: string): PairRead {
  return { leaf: new X509Certificate(chain), privateKey: createPrivateKey(key), issuers: issuersIn(chain) };
}

/** Whether `host` is one of the names, or one label under a wildcard among them. */
export function isValidFor({ names }: Pick<Certificate, "names">, host: string): boolean {
  const parent = `*${host.slice(Math.max(0, host.indexOf(".")))}`;
  return names.some((name) => name === host || (host.includes(".") && name === parent));
}

/**
 * Returns the weakest of the certificate and its issuers: nginx checks the issuers in the file as
 * strictly as the certificate itself.
 */
function weaknessIn({ leaf, privateKey, issuers }: PairRead): Weakness | undefined {
  const theirs = issuers.map((issuer) => (issuer.ok ? issuer.weakness : undefined));
  return weakest([weaknessOf(leaf, privateKey, "host"), ...theirs]);
}

/** The kinds of keys by Node's names, with the usual names. */
const keyAlgorithms: Readonly<Record<string, string>> = {
  rsa: "RSA",
  "rsa-pss": "RSA",
  ec: "ECDSA",
  ed25519: "Ed25519",
};

const issuerParts = { organization: /^O=(.*)$/m, commonName: /^CN=(.*)$/m, serialNumber: /^serialNumber=(.*)$/m };

/**
 * Returns the facts about a certificate. The private key shows the kind of the public key, so the
 * public key need not be computed.
 */
function identityOf({ issuer = "", serialNumber }: X509Certificate, privateKey: KeyObject): CertificateIdentity {
  const part = (name: keyof typeof issuerParts) => issuerParts[name].exec(issuer)?.[1] ?? "";
  const kind = privateKey.asymmetricKeyType ?? "";
  return {
    issuerOrganization: part("organization"),
    issuerCommonName: part("commonName"),
    issuerSerialNumber: part("serialNumber"),
    serialNumber: BigInt(`0x${serialNumber}`).toString(),
    keyAlgorithm: keyAlgorithms[kind] ?? kind.toUpperCase(),
  };
}

/** Returns the DNS names of the SAN, or the common name if there is no SAN (RS-10.2). */
function namesOf(leaf: X509Certificate): string[] {
  const names = [...(leaf.subjectAltName ?? "").matchAll(/DNS:("(?:[^"\\]|\\.)*"|[^,\s]+)/g)].map(([, name]) =>
    name!.toLowerCase(),
  );
  if (leaf.subjectAltName !== undefined) return names;
  const common = /^CN=(.+)$/m.exec(leaf.subject ?? "")?.[1];
  return common === undefined ? [] : [common.toLowerCase()];
}

function fits(leaf: X509Certificate, key: KeyObject): boolean {
  return attempt(() => leaf.checkPrivateKey(key)) ?? false;
}

/**
 * Says why a pair does not fit together. The most common mistake is the wrong order, with the
 * host's certificate behind its issuers; this is easy to correct.
 */
function misfitOf(chain: string, key: KeyObject): string {
  const isAmong = certificatesIn(chain).some((text) => attempt(() => fits(new X509Certificate(text), key)) === true);
  return isAmong
    ? "has a tls.crt that begins with another certificate than that of its tls.key, which must come first"
    : "has a tls.key that does not belong to its tls.crt";
}

export function decoded({ data }: Secret, key: string): string | undefined {
  const text = data?.[key];
  return text === undefined || text === "" ? undefined : Buffer.from(text, "base64").toString("utf8");
}

function withFinalNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

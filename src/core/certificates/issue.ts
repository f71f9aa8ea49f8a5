/**
 * Certificates that the controller makes itself (RFC 5280): the fake one for hosts without one, and
 * those of its webhook.
 */
import { createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  nothing,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from "./der.ts";

export interface Name {
  readonly organization: string;
  readonly commonName: string;
}

export interface Issue {
  readonly subject: Name;
  readonly issuer: Name;
  /** The subject's private key, or only its public one. */
  readonly key: KeyObject;
  /** The private key of the issuer, RSA or P-256. */
  readonly signingKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /**
   * A server's certificate has DNS names; an authority signs such certificates and no further
   * authorities.
   */
  readonly use: { readonly kind: "server"; readonly names: readonly string[] } | { readonly kind: "authority" };
}

/** Returns a server's certificate that its own private key signs, valid for a year, as PEM. */
export function selfSigned(subject: Name, key: KeyObject, names: readonly string[], now: Date): string {
  const notAfter = new Date(now.getTime() + 365 * 24 * 3600 * 1000);
  return issued({
    ...{ subject, issuer: subject, key, signingKey: key },
    ...{ notBefore: now, notAfter, use: { kind: "server", names } },
  });
}

const version3 = explicit(0, integer(Uint8Array.of(2)));

/** Returns PEM, with a newline at its end. */
export function issued({ subject, issuer, key, signingKey, notBefore, notAfter, use }: Issue): string {
  const algorithm = signatureAlgorithm(signingKey);
  const publicKey = (key.type === "private" ? createPublicKey(key) : key).export({ type: "spki", format: "der" });
  const toSign = sequence(
    version3,
    integer(serialNumber()),
    algorithm,
    nameOf(issuer),
    sequence(time(notBefore), time(notAfter)),
    nameOf(subject),
    publicKey,
    explicit(3, use.kind === "server" ? serverExtensions(use.names) : authorityExtensions()),
  );
  const certificate = sequence(toSign, algorithm, bitString(sign("sha256", toSign, signingKey)));
  const lines = Buffer.from(certificate)
    .toString("base64")
    .match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** Makes a positive, unique number. It may have 20 bytes (RFC 5280, 4.1.2.2) and has 16. */
function serialNumber(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | (bytes[0]! & 0x3f);
  return bytes;
}

function signatureAlgorithm({ asymmetricKeyType }: KeyObject): Uint8Array {
  const sha256WithRsa = sequence(objectIdentifier("1.2.840.113549.1.1.11"), nothing);
  return asymmetricKeyType === "rsa" ? sha256WithRsa : sequence(objectIdentifier("1.2.840.10045.4.3.2"));
}

function nameOf({ organization, commonName }: Name): Uint8Array {
  const part = (type: string, value: string) => set(sequence(objectIdentifier(type), utf8String(value)));
  return sequence(part("2.5.4.10", organization), part("2.5.4.3", commonName));
}

const basicConstraints = "2.5.29.19";
const keyUsage = "2.5.29.15";
const extendedKeyUsage = "2.5.29.37";
const subjectAltName = "2.5.29.17";

function serverExtensions(names: readonly string[]): Uint8Array {
  const serverAuth = objectIdentifier("1.3.6.1.5.5.7.3.1");
  const dnsNames = names.map((name) => implicit(2, Buffer.from(name)));
  return sequence(
    extension(basicConstraints, sequence()),
    extension(extendedKeyUsage, sequence(serverAuth)),
    extension(subjectAltName, sequence(...dnsNames)),
  );
}

function authorityExtensions(): Uint8Array {
  const noFurtherAuthorities = integer(Uint8Array.of(0));
  const signsCertificates = bitString(Uint8Array.of(0b0000_0100), 2);
  return sequence(
    critical(basicConstraints, sequence(boolean(true), noFurtherAuthorities)),
    critical(keyUsage, signsCertificates),
  );
}

const extension = (type: string, value: Uint8Array) => sequence(objectIdentifier(type), octetString(value));

const critical = (type: string, value: Uint8Array) =>
  sequence(objectIdentifier(type), boolean(true), octetString(value));

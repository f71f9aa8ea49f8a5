/** A certificate that nginx can serve, with its key. */
import type { SecretText } from "./secret-text.ts";

export interface Certificate {
  /** `namespace/name` of its Secret; the generated one is `fake`. */
  readonly id: string;
  /** Leaf first, then the chain. */
  readonly chain: string;
  readonly key: SecretText;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The DNS names for which it is valid. */
  readonly names: readonly string[];
  /** Its issuer, serial number and other facts, as metrics name them. */
  readonly identity: CertificateIdentity;
  /** Undefined if the certificate is not weak. */
  readonly weakness: Weakness | undefined;
  /** SHA-256 of chain and key, hexadecimal. Equal content has equal fingerprints. */
  readonly fingerprint: string;
}

export interface Weakness {
  /** For example "its RSA key has 1024 bits". */
  readonly why: string;
  /** The highest security level at which OpenSSL accepts it. Many systems use level 2. */
  readonly level: 0 | 1;
}

export interface CertificateIdentity {
  /** Empty if the issuer has no organization. */
  readonly issuerOrganization: string;
  readonly issuerCommonName: string;
  readonly issuerSerialNumber: string;
  /** The serial number, decimal. */
  readonly serialNumber: string;
  /** `RSA`, `ECDSA`, `Ed25519` or `DSA`. */
  readonly keyAlgorithm: string;
}

/** The identity of a placeholder, which is not a certificate. */
export const noIdentity: CertificateIdentity = {
  issuerOrganization: "",
  issuerCommonName: "",
  issuerSerialNumber: "",
  serialNumber: "0",
  keyAlgorithm: "",
};

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
  /** DNS names it is valid for. */
  readonly names: readonly string[];
  /** Its issuer, serial number and other facts, as metrics name them. */
  readonly identity: CertificateIdentity;
  /** Undefined where nothing is weak about it. */
  readonly weakness: Weakness | undefined;
  /** SHA-256 of chain and key, hex: equal content, equal fingerprint. */
  readonly fingerprint: string;
}

export interface Weakness {
  /** "its RSA key has 1024 bits". */
  readonly why: string;
  /** The security level at which OpenSSL takes it; many systems have 2 for theirs. */
  readonly level: 0 | 1;
}

export interface CertificateIdentity {
  /** Empty where the issuer does not say. */
  readonly issuerOrganization: string;
  readonly issuerCommonName: string;
  readonly issuerSerialNumber: string;
  /** Decimal. */
  readonly serialNumber: string;
  /** `RSA`, `ECDSA`, `Ed25519` or `DSA`. */
  readonly keyAlgorithm: string;
}

/** The identity of a placeholder that is no certificate. */
export const noIdentity: CertificateIdentity = {
  issuerOrganization: "",
  issuerCommonName: "",
  issuerSerialNumber: "",
  serialNumber: "0",
  keyAlgorithm: "",
};

/**
 * Reasons for which clients may refuse a certificate: a short RSA key, or a signature with SHA-1.
 */
import type { KeyObject, X509Certificate } from "node:crypto";
import type { Weakness } from "../model/configuration.ts";

/** The signature of a root on itself does not matter. */
export type Rank = "host" | "issuer" | "root";

/** Returns the weakness of a certificate. `ofIt` is its public key, or the matching private key. */
export function weaknessOf({ signatureAlgorithm }: X509Certificate, ofIt: KeyObject, rank: Rank): Weakness | undefined {
  // Computed only if it matters: the details of a key cost as much as reading it.
  const isRsa = ofIt.asymmetricKeyType?.startsWith("rsa") === true;
  const bits = isRsa ? ofIt.asymmetricKeyDetails?.modulusLength : undefined;
  const isSha1 = rank !== "root" && /sha1/i.test(signatureAlgorithm ?? "");
  const [key, it] = rank === "host" ? ["its RSA key", "it"] : ["the RSA key of an issuer in it", "an issuer in it"];
  if (bits !== undefined && bits < 2048)
    return { why: `${key} has ${bits} bits`, level: bits < 1024 || isSha1 ? 0 : 1 };
  return isSha1 ? { why: `${it} is signed with SHA-1`, level: 0 } : undefined;
}

/** Returns the weakness with the lowest level, the first of several. */
export function weakest(all: readonly (Weakness | undefined)[]): Weakness | undefined {
  let least: Weakness | undefined;
  for (const one of all) if (one !== undefined && (least === undefined || one.level < least.level)) least = one;
  return least;
}

/** Makes self-signed certificates for tests in no time. */
import { generateKeyPairSync } from "node:crypto";
import { issued } from "../../src/core/certificates/issue.ts";
import type { KeyPair } from "./pki.ts";

/** The certificate has this common name and these names, and ends in a day. */
export function pairOf(commonName: string, names: readonly string[]): KeyPair {
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = { organization: "test", commonName };
  const use = { kind: "server", names } as const;
  const times = { notBefore: new Date(Date.now() - 86_400_000), notAfter: new Date(Date.now() + 86_400_000) };
  const certificate = issued({ subject, issuer: subject, key, signingKey: key, ...times, use });
  return { certificate, key: key.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** The certificate for hosts that have none (RS-10.4): self-signed, made at start, named as ingress-nginx names it. */
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { Certificate } from "../model/configuration.ts";
import { certificateFrom } from "./certificate.ts";

const yearMs = 365 * 24 * 3600 * 1000;

export async function fakeCertificate(now: Date): Promise<Certificate> {
  x509.cryptoProvider.set(webcrypto as never);
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "O=Acme Co, CN=Kubernetes Ingress Controller Fake Certificate",
    notBefore: now,
    notAfter: new Date(now.getTime() + yearMs),
    keys: keys as never,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "ingress.local" }]),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  const key = x509.PemConverter.encode(pkcs8, "PRIVATE KEY");
  return certificateFrom("fake", certificate.toString("pem"), key);
}

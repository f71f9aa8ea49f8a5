/**
 * The certificate for hosts that have none (RS-10.4). It is self-signed, made at the start, and has
 * the name that ingress-nginx uses.
 */
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Certificate } from "../model/configuration.ts";
import { certificateFrom } from "./certificate.ts";
import { selfSigned } from "./issue.ts";

const name = { organization: "Acme Co", commonName: "Kubernetes Ingress Controller Fake Certificate" };

export async function fakeCertificate(now: Date): Promise<Certificate> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const chain = selfSigned(name, privateKey, ["ingress.local"], now);
  return certificateFrom("fake", chain, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
}

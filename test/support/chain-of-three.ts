/**
 * Makes a root, an intermediate and a leaf whose certificates name the addresses of their issuers,
 * and another certificate that only has the intermediate's name.
 */
import { webcrypto } from "node:crypto";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

export interface ChainOfThree {
  readonly root: x509.X509Certificate;
  readonly middle: x509.X509Certificate;
  readonly leaf: x509.X509Certificate;
  readonly impostor: x509.X509Certificate;
  /** PEM of the leaf's private key. */
  readonly key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const dates = { notBefore: new Date("2026-01-01"), notAfter: new Date("2035-01-01") };
const authority = new x509.BasicConstraintsExtension(true);

/**
 * `base` is the URL below which `middle.crt` and `root.crt` are served, without a slash at the end;
 * `host` is the leaf's name.
 */
export async function chainOfThree(base: string, host: string): Promise<ChainOfThree> {
  const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const [rootKeys, middleKeys, leafKeys, others] = await Promise.all([newKeys(), newKeys(), newKeys(), newKeys()]);
  const selfSigned = (name: string, keys: webcrypto.CryptoKeyPair) =>
    x509.X509CertificateGenerator.createSelfSigned({
      name,
      keys,
      signingAlgorithm: algorithm,
      extensions: [authority],
      ...dates,
    });
  const issued = (
    subject: string,
    by: string,
    keys: webcrypto.CryptoKeyPair,
    signer: webcrypto.CryptoKeyPair,
    more: x509.Extension[],
  ) =>
    x509.X509CertificateGenerator.create({
      subject: `CN=${subject}`,
      issuer: `CN=${by}`,
      publicKey: keys.publicKey,
      signingKey: signer.privateKey,
      signingAlgorithm: algorithm,
      extensions: more,
      ...dates,
    });
  const at = (file: string) => new x509.AuthorityInfoAccessExtension({ caIssuers: `${base}/${file}` });
  const names = new x509.SubjectAlternativeNameExtension([{ type: "dns", value: host }]);
  const exported = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", leafKeys.privateKey)).toString("base64");
  return {
    root: await selfSigned("CN=Root", rootKeys),
    middle: await issued("Middle", "Root", middleKeys, rootKeys, [authority, at("root.crt")]),
    leaf: await issued(host, "Middle", leafKeys, middleKeys, [names, at("middle.crt")]),
    impostor: await selfSigned("CN=Middle", others),
    key: `-----BEGIN PRIVATE KEY-----\n${exported.match(/.{1,64}/g)!.join("\n")}\n-----END PRIVATE KEY-----\n`,
  };
}

export const pemOf = (one: x509.X509Certificate): string => `${one.toString("pem")}\n`;

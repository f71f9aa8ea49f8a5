/**
 * OCSP messages (RFC 6960): the request about a certificate, and the meaning of a response. A
 * response counts only if the issuer, or a responder that it has authorized, has signed it: it
 * comes over plain HTTP, and clients end handshakes because of a bad one.
 */
import { createHash, verify, X509Certificate } from "node:crypto";
import {
  BasicOCSPResponse,
  CertID,
  OCSPRequest,
  OCSPResponse,
  OCSPResponseStatus,
  Request,
  TBSRequest,
} from "@peculiar/asn1-ocsp";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import { AlgorithmIdentifier, Certificate as Asn1Certificate } from "@peculiar/asn1-x509";
import { guarded } from "../../base/guarded.ts";

/** The request about the leaf of a chain. */
export interface Question {
  /** The address of its issuer's responder. */
  readonly url: string;
  readonly body: Buffer;
  readonly issuer: X509Certificate;
  /** Hexadecimal digits in upper case. */
  readonly serialNumber: string;
}

export type Answer =
  | { readonly ok: true; readonly thisUpdate: Date; readonly nextUpdate: Date | undefined }
  /** With `revoked`, earlier responses are no longer valid. */
  | { readonly ok: false; readonly why: string; readonly revoked?: true };

/**
 * Returns undefined if the certificate names no responder, or the end of a sentence if it
 * names one and no request is possible.
 */
export function questionOf(chain: string): Question | string | undefined {
  return guarded<Question | string | undefined>(
    () => questionAbout(chain),
    ({ message }) => `its tls.crt cannot be asked about: ${message}`,
  );
}

function questionAbout(chain: string): Question | string | undefined {
  const [leaf, issuer] = (chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (pem) => new X509Certificate(pem),
  );
  const url = /^OCSP - URI:"?(https?:\/\/[^\s"]+)"?$/m.exec(leaf?.infoAccess ?? "")?.[1];
  if (leaf === undefined || url === undefined) return undefined;
  if (issuer === undefined) return "its tls.crt lacks the certificate of the issuer";
  if (!leaf.verify(issuer.publicKey)) return "the second certificate of its tls.crt is not the issuer of the first";
  const { subject, subjectPublicKeyInfo } = AsnConvert.parse(issuer.raw, Asn1Certificate).tbsCertificate;
  const reqCert = new CertID({
    hashAlgorithm: new AlgorithmIdentifier({ algorithm: "1.3.14.3.2.26", parameters: new Uint8Array([5, 0]).buffer }),
    issuerNameHash: new OctetString(sha1(AsnConvert.serialize(subject))),
    issuerKeyHash: new OctetString(sha1(subjectPublicKeyInfo.subjectPublicKey)),
    serialNumber: AsnConvert.parse(leaf.raw, Asn1Certificate).tbsCertificate.serialNumber,
  });
  const message = new OCSPRequest({ tbsRequest: new TBSRequest({ requestList: [new Request({ reqCert })] }) });
  return { url, body: Buffer.from(AsnConvert.serialize(message)), issuer, serialNumber: leaf.serialNumber };
}

/** Reads whether the certificate is good at this moment, according to `body`. */
export function readAnswer({ issuer, serialNumber }: Question, body: Uint8Array, now: Date): Answer {
  try {
    return judged(issuer, serialNumber, AsnConvert.parse(body, OCSPResponse), now);
  } catch {
    return { ok: false, why: "the answer is no OCSP answer" };
  }
}

function judged(
  issuer: X509Certificate,
  serialNumber: string,
  { responseStatus, responseBytes }: OCSPResponse,
  now: Date,
): Answer {
  if (responseStatus !== OCSPResponseStatus.successful || responseBytes === undefined)
    return { ok: false, why: `the responder said ${OCSPResponseStatus[responseStatus] ?? responseStatus}` };
  const basic = AsnConvert.parse(responseBytes.response, BasicOCSPResponse);
  if (!isSigned(basic, issuer)) return { ok: false, why: "the answer is not signed by the issuer" };
  const single = basic.tbsResponseData.responses.find(({ certID }) => sameSerial(certID.serialNumber, serialNumber));
  if (single === undefined) return { ok: false, why: "the answer is about another certificate" };
  const { certStatus, thisUpdate, nextUpdate } = single;
  if (certStatus.revoked !== undefined) return { ok: false, why: "the certificate is revoked", revoked: true };
  if (certStatus.good === undefined) return { ok: false, why: "the responder does not know the certificate" };
  if (nextUpdate !== undefined && nextUpdate <= now) return { ok: false, why: "the answer is out of date" };
  return { ok: true, thisUpdate, nextUpdate };
}

const ocspSigning = "1.3.6.1.5.5.7.3.9";
/** The hash that `verify` needs, by the name of the signature's algorithm. */
const hashes: Readonly<Record<string, string>> = {
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
};

function isSigned(answer: BasicOCSPResponse, issuer: X509Certificate): boolean {
  const { tbsResponseDataRaw, signature, signatureAlgorithm, certs = [] } = answer;
  const hash = hashes[signatureAlgorithm.algorithm];
  if (tbsResponseDataRaw === undefined || hash === undefined) return false;
  const delegates = certs
    .map((one) => new X509Certificate(Buffer.from(AsnConvert.serialize(one))))
    .filter((one) => (one.keyUsage ?? []).includes(ocspSigning) && one.verify(issuer.publicKey));
  return [issuer, ...delegates].some(({ publicKey }) =>
    verify(hash, Buffer.from(tbsResponseDataRaw), publicKey, Buffer.from(signature)),
  );
}

function sameSerial(serial: ArrayBuffer, hex: string): boolean {
  return BigInt(`0x${Buffer.from(serial).toString("hex")}`) === BigInt(`0x${hex}`);
}

function sha1(bytes: ArrayBuffer): Buffer {
  return createHash("sha1").update(Buffer.from(bytes)).digest();
}

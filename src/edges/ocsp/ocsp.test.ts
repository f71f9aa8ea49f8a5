import "reflect-metadata";
import { sign, type webcrypto } from "node:crypto";
import {
  BasicOCSPResponse,
  CertStatus,
  OCSPRequest,
  OCSPResponse,
  OCSPResponseStatus,
  ResponderID,
  ResponseBytes,
  ResponseData,
  RevokedInfo,
  SingleResponse,
} from "@peculiar/asn1-ocsp";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import { AlgorithmIdentifier } from "@peculiar/asn1-x509";
import * as x509 from "@peculiar/x509";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { certificateFrom } from "../../core/certificates/certificate.ts";
import { emptySnapshot } from "../../core/model/snapshot.ts";
import { type Question, questionOf, readAnswer } from "./message.ts";
import { StapledSource, type StapleEvent } from "./stapled-source.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const [issuerKeys, leafKeys] = await Promise.all(
  [1, 2].map(() => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])),
);
const dates = { notBefore: new Date("2026-01-01"), notAfter: new Date("2027-01-01") };
const issuer = await x509.X509CertificateGenerator.createSelfSigned({
  name: "CN=Issuer",
  keys: issuerKeys!,
  signingAlgorithm: algorithm,
  ...dates,
});
const leaf = await x509.X509CertificateGenerator.create({
  subject: "CN=leaf.example",
  issuer: issuer.subject,
  publicKey: leafKeys!.publicKey,
  signingKey: issuerKeys!.privateKey,
  signingAlgorithm: algorithm,
  serialNumber: "0a01",
  extensions: [new x509.AuthorityInfoAccessExtension({ ocsp: "http://responder.example/" })],
  ...dates,
});
const chain = `${leaf.toString("pem")}\n${issuer.toString("pem")}\n`;
const question = questionOf(chain) as Question;
const pkcs8 = async ({ privateKey }: webcrypto.CryptoKeyPair) =>
  `-----BEGIN PRIVATE KEY-----\n${Buffer.from(await crypto.subtle.exportKey("pkcs8", privateKey)).toString("base64")}\n-----END PRIVATE KEY-----`;
const [issuerKey, leafKey] = await Promise.all([pkcs8(issuerKeys!), pkcs8(leafKeys!)]);

const good = new CertStatus({ good: null });
const revoked = new CertStatus({ revoked: new RevokedInfo({ revocationTime: new Date("2026-01-01") }) });

/**
 * Returns an answer that the certificate is `certStatus`, from `from` on for an hour, signed with
 * `key`.
 */
function answer(from: Date, key = issuerKey!, certStatus = good): Buffer {
  const { reqCert } = AsnConvert.parse(question.body, OCSPRequest).tbsRequest.requestList[0]!;
  const single = new SingleResponse({
    certID: reqCert,
    certStatus,
    thisUpdate: from,
    nextUpdate: new Date(from.getTime() + 3_600_000),
  });
  const responderID = new ResponderID({ byKey: new OctetString(new Uint8Array(20)) });
  const tbsResponseData = new ResponseData({ responderID, producedAt: from, responses: [single] });
  const signed = Buffer.from(AsnConvert.serialize(tbsResponseData));
  const basic = new BasicOCSPResponse({
    tbsResponseData,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithm: "1.2.840.10045.4.3.2" }),
    signature: new Uint8Array(sign("sha256", signed, key)).buffer,
  });
  const responseBytes = new ResponseBytes({
    responseType: "1.3.6.1.5.5.7.48.1.1",
    response: new OctetString(AsnConvert.serialize(basic)),
  });
  const whole = new OCSPResponse({ responseStatus: OCSPResponseStatus.successful, responseBytes });
  return Buffer.from(AsnConvert.serialize(whole));
}

const start = new Date("2026-01-01T00:00:00Z");

test("only an answer of the issuer counts, and only in its time", () => {
  expect(readAnswer(question, answer(start), start)).toMatchObject({ ok: true });
  expect(readAnswer(question, answer(start, leafKey), start)).toEqual({
    ok: false,
    why: "the answer is not signed by the issuer",
  });
  expect(readAnswer(question, answer(start), new Date("2026-01-02"))).toEqual({
    ok: false,
    why: "the answer is out of date",
  });
  expect(readAnswer(question, Buffer.from("<html>"), start)).toEqual({
    ok: false,
    why: "the answer is no OCSP answer",
  });
});

test("no request is made for a certificate without a responder, and none is possible without its issuer", () => {
  expect(questionOf(issuer.toString("pem"))).toBeUndefined();
  expect(questionOf(leaf.toString("pem"))).toBe("its tls.crt lacks the certificate of the issuer");
});

test("an answer is renewed at half its time, and stapled to its end while the responder does not answer", async () => {
  const clock = new FakeClock();
  const events: StapleEvent[] = [];
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  let [asked, silent] = [0, false];
  const ask = async () => {
    asked++;
    if (silent) throw new Error("silent");
    return answer(new Date(clock.wall()));
  };
  const inner = { snapshot: () => emptySnapshot, onChange: () => () => {} };
  const source = new StapledSource(inner, { ask, clock, report: (event) => events.push(event) }, ending.signal);
  const certificate = certificateFrom("ns/web", chain, leafKey!);
  source.follow([certificate]);
  const staple = () => source.snapshot().staples.get(certificate.fingerprint) !== undefined;
  await clock.advance(1);
  expect([asked, staple()]).toEqual([1, true]);
  await clock.advance(1_800_000);
  expect([asked, staple()]).toEqual([2, true]);
  silent = true;
  await clock.advance(3_500_000);
  expect(staple()).toBe(true);
  await clock.advance(200_000);
  expect(staple()).toBe(false);
  source.follow([]);
  expect(events.map(({ kind }) => kind).slice(0, 3)).toEqual(["stapled", "stapled", "failed"]);
});

test("a good answer is no longer stapled when the certificate is revoked, and requests continue", async () => {
  const clock = new FakeClock();
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  let status = good;
  const ask = async () => answer(new Date(clock.wall()), issuerKey!, status);
  const inner = { snapshot: () => emptySnapshot, onChange: () => () => {} };
  const source = new StapledSource(inner, { ask, clock, report: () => {} }, ending.signal);
  const certificate = certificateFrom("ns/web", chain, leafKey!);
  source.follow([certificate]);
  const staple = () => source.snapshot().staples.get(certificate.fingerprint) !== undefined;
  await clock.advance(1);
  expect(staple()).toBe(true);
  status = revoked;
  await clock.advance(1_800_000);
  expect(staple()).toBe(false);
  status = good;
  await clock.advance(60_000);
  expect(staple()).toBe(true);
});

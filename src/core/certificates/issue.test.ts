import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:tls";
import { expect, test } from "vitest";
import { makeCertificate } from "../../edges/admission/own-certificate.ts";
import { fakeCertificate } from "./fake.ts";

const now = new Date("2026-05-04T03:02:01Z");

test("the self-signed fake certificate has the names of ingress-nginx's and is valid for a year", async () => {
  const { chain } = await fakeCertificate(now);
  const read = new X509Certificate(chain);
  expect(read.subject).toBe("O=Acme Co\nCN=Kubernetes Ingress Controller Fake Certificate");
  expect(read.issuer).toBe(read.subject);
  expect(read.validFromDate).toEqual(now);
  expect(read.validToDate).toEqual(new Date("2027-05-04T03:02:01Z"));
  expect(read.subjectAltName).toBe("DNS:ingress.local");
  expect(read.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  expect(read.ca).toBe(false);
  expect(read.verify(read.publicKey)).toBe(true);
});

test("dates from 2050 on have years of four digits", async () => {
  const { notBefore, notAfter } = await fakeCertificate(new Date("2049-06-01T00:00:00Z"));
  expect([notBefore, notAfter].map((date) => date.toISOString())).toEqual([
    "2049-06-01T00:00:00.000Z",
    "2050-06-01T00:00:00.000Z",
  ]);
});

test("two certificates have different serial numbers, which are positive and at most 20 bytes long", async () => {
  const made = [await makeCertificate(["a.svc"], now), await makeCertificate(["a.svc"], now)];
  const numbers = made.flatMap(({ ca, cert }) => [ca, cert]).map((pem) => new X509Certificate(pem).serialNumber);
  expect(new Set(numbers).size).toBe(4);
  for (const number of numbers) expect(number).toMatch(/^[4-7][0-9A-F]{31}$/);
});

test("a TLS client that trusts the webhook's authority takes its certificate, under each of its names and no other", async () => {
  const names = ["sluice-admission", `${"a".repeat(60)}.${"b".repeat(60)}.svc`];
  const { ca, cert, key } = await makeCertificate(names, new Date());
  expect(new X509Certificate(ca).ca).toBe(true);
  const server = createServer({ cert, key }, (socket) => socket.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const outcome = async (servername: string) => {
    const socket = connect({ port, host: "127.0.0.1", ca, servername });
    const failed = once(socket, "error").then(([error]) => (error as NodeJS.ErrnoException).code);
    const ended = await Promise.race([once(socket, "secureConnect").then(() => "taken"), failed]);
    socket.destroy();
    return ended;
  };
  try {
    for (const name of names) expect(await outcome(name)).toBe("taken");
    expect(await outcome("other.svc")).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  } finally {
    server.close();
  }
});

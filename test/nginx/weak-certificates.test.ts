/**
 * Checks that a certificate which OpenSSL refuses at the usual security level is still served, for
 * its own host alone, and that one which OpenSSL refuses at every level does not break handshakes.
 * The keys are created here, because weak keys do not belong into a repository.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../src/core/model/problem.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { ingress, ingressClass } from "../support/sketch.ts";
import { request } from "./support/request.ts";

const folder = mkdtempSync(join(tmpdir(), "weak-"));
const base64 = (text: string) => Buffer.from(text).toString("base64");
const inFolder = (file: string) => readFileSync(join(folder, file), "utf8");

/**
 * Creates a key pair whose certificate has the single name `NAME.example`; `options` are passed to
 * `openssl req`.
 */
async function pair(name: string, options: readonly string[]): Promise<void> {
  const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`];
  const names = [
    "-subj",
    `/CN=${name}.example`,
    "-addext",
    `subjectAltName=DNS:${name}.example,DNS:www.${name}.example`,
  ];
  await execa("openssl", ["req", "-x509", "-nodes", "-days", "90", ...options, ...files, ...names], { cwd: folder });
}

function host(name: string, chain: string, annotations: Record<string, string> = {}): readonly KubernetesObject[] {
  const data = { "tls.crt": base64(chain), "tls.key": base64(inFolder(`${name}.key`)) };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "ns" }, data };
  const one = ingress({ name, host: `${name}.example`, annotations });
  const tls = [{ hosts: [`${name}.example`], secretName: name }];
  return [secret, { ...one, spec: { ...one.spec, tls } }] as readonly KubernetesObject[];
}

beforeAll(async () => {
  await pair("short", ["-newkey", "rsa:1024"]);
  await pair("sha1", ["-newkey", "rsa:2048", "-sha1"]);
  await pair("chained", ["-newkey", "rsa:2048"]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Serves this chain with the key of `name` as the default certificate. */
async function servedByDefault(mode: "dynamic" | "static", name: string, chain: string) {
  const objects = [ingressClass, ...host(name, chain).slice(0, 1)];
  const subject = await startSubject({ mode, flags: [`--default-ssl-certificate=ns/${name}`], objects });
  await subject.settled();
  const { certificate } = await request({ to: "192.0.2.1:443", sni: "any.example" });
  await subject.stop();
  return certificate;
}

describe.each(["dynamic", "static"] as const)("as the default certificate in %s mode", (mode) => {
  test("a weak certificate is served", async () => {
    expect(await servedByDefault(mode, "short", inFolder("short.crt"))).toBe("short.example");
  });

  test("a certificate with a weak issuer is served", async () => {
    const chain = inFolder("chained.crt") + inFolder("short.crt");
    expect(await servedByDefault(mode, "chained", chain)).toBe("chained.example");
  });

  test("a certificate with an unreadable issuer is not served, and no other host is affected", async () => {
    const [issuer] = inFolder("short.crt").split("\n-----END");
    const chain = `${inFolder("chained.crt")}${issuer}`;
    expect(await servedByDefault(mode, "chained", chain)).toBe("Kubernetes Ingress Controller Fake Certificate");
  });
});

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let subject: Subject;
  let problems: readonly Problem[] = [];
  beforeAll(async () => {
    const objects = [ingressClass, ...host("short", inFolder("short.crt")), ...host("sha1", inFolder("sha1.crt"))];
    subject = await startSubject({ mode, flags: [], objects, onProblems: (all) => (problems = all) });
    await subject.settled();
  });
  afterAll(() => subject.stop());
  const served = async (sni: string) => (await request({ to: "192.0.2.1:443", host: sni, sni })).certificate;

  test("a short key and a signature with SHA-1 are served, with a Problem", async () => {
    expect(await served("short.example")).toBe("short.example");
    expect(await served("sha1.example")).toBe("sha1.example");
    expect(problems.map(sentence)).toEqual(
      expect.arrayContaining([
        "tls.crt: its RSA key has 1024 bits; it is still served",
        "tls.crt: it is signed with SHA-1; it is still served",
      ]),
    );
  });

  test("a weak certificate is also shown for the host's other name, which redirects as before", async () => {
    const www = { "from-to-www-redirect": "true" };
    await subject.apply(host("short", inFolder("short.crt"), www));
    await subject.settled();
    const name = "www.short.example";
    const answer = await request({ to: "192.0.2.1:443", host: name, sni: name });
    expect(answer).toMatchObject({ status: 308, certificate: "short.example" });
    expect(answer.headers.location).toBe("https://short.example:443");
  });

  test("a certificate with a weak issuer is served by its host alone, unless the host's own security level refuses it", async () => {
    const chain = inFolder("chained.crt") + inFolder("short.crt");
    await subject.apply(host("chained", chain));
    await subject.settled();
    expect(await served("chained.example")).toBe("chained.example");
    expect(problems.map(sentence)).toContain(
      "tls.crt: the RSA key of an issuer in it has 1024 bits; it is still served",
    );
    await subject.apply(host("chained", chain, { "ssl-ciphers": "DEFAULT:@SECLEVEL=2" }));
    await subject.settled();
    // If the certificate is text, nginx refuses it, and the last good one is served.
    const fake = "Kubernetes Ingress Controller Fake Certificate";
    expect(await served("chained.example")).toBe(mode === "static" ? "chained.example" : fake);
    expect(await served("sha1.example")).toBe("sha1.example");
  });
});

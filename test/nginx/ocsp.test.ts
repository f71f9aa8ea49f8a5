/**
 * Tests stapled OCSP answers of a real responder (`openssl ocsp`) with a real client (`openssl
 * s_client -status`), in both modes.
 */
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ingress, KubernetesObject } from "../../src/core/model/objects.ts";
import { type Mode, type Subject, startSubject } from "../parity/subject.ts";
import { ingressClass } from "../support/sketch.ts";
import { ingress, service, settings } from "./support/shop.ts";
import { until } from "./support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "ocsp-"));
const responderPort = 8399;
const httpsPort: Readonly<Record<Mode, number>> = { dynamic: 8392, static: 8492 };
const run = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
const children: (() => void)[] = [];
const subjects: Subject[] = [];

beforeAll(async () => {
  authority();
  await respond();
});
afterAll(async () => {
  for (const end of children) end();
  await Promise.all(subjects.map((subject) => subject.stop()));
  rmSync(folder, { recursive: true });
});

/**
 * Creates a CA with `openssl ca`, whose database the responder reads, and two certificates: one for
 * `good.example`, and one that is revoked.
 */
function authority(): void {
  const conf = `
    [ca]
    default_ca = own
    [own]
    database = index.txt
    serial = serial
    new_certs_dir = .
    certificate = ca.crt
    private_key = ca.key
    default_md = sha256
    default_days = 30
    policy = any
    copy_extensions = copy
    [any]
    commonName = supplied
    [leaf]
    authorityInfoAccess = OCSP;URI:http://192.0.2.75:${responderPort}/`;
  writeFileSync(join(folder, "ca.cnf"), conf);
  writeFileSync(join(folder, "index.txt"), "");
  writeFileSync(join(folder, "serial"), "1000\n");
  run(
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    "ca.key",
    "-out",
    "ca.crt",
    "-days",
    "30",
    "-subj",
    "/CN=Test CA",
  );
  for (const name of ["good", "revoked"]) {
    const subject = ["-subj", `/CN=${name}.example`, "-addext", `subjectAltName=DNS:${name}.example`];
    run("req", "-newkey", "rsa:2048", "-nodes", "-keyout", `${name}.key`, "-out", `${name}.csr`, ...subject);
    run(
      "ca",
      "-batch",
      "-config",
      "ca.cnf",
      "-extensions",
      "leaf",
      "-in",
      `${name}.csr`,
      "-out",
      `${name}.crt`,
      "-notext",
    );
  }
  run("ca", "-config", "ca.cnf", "-revoke", "revoked.crt");
}

/**
 * The responder accepts one connection at a time and waits for its request, so only its output
 * shows that it listens.
 */
async function respond(): Promise<void> {
  const signer = ["-rsigner", "ca.crt", "-rkey", "ca.key", "-CA", "ca.crt"];
  const args = ["ocsp", "-port", String(responderPort), "-index", "index.txt", ...signer, "-nmin", "10"];
  const child = spawn("openssl", args, { cwd: folder });
  children.push(() => void child.kill());
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  await until("the responder", () => printed.includes("ACCEPT") || printed.includes("waiting for OCSP client"));
}

const base64 = (file: string) => readFileSync(join(folder, file)).toString("base64");

function secured(name: string): KubernetesObject[] {
  const chain = Buffer.concat([readFileSync(join(folder, `${name}.crt`)), readFileSync(join(folder, "ca.crt"))]);
  const data = { "tls.crt": chain.toString("base64"), "tls.key": base64(`${name}.key`) };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: { name, namespace: "ns" },
    data,
  };
  const plain = ingress(name, `${name}.example`, "web");
  const tls = [{ hosts: [`${name}.example`], secretName: name }];
  return [secret as KubernetesObject, { ...plain, spec: { ...plain.spec, tls } } as Ingress];
}

/** Returns the status in the stapled OCSP answer that a client gets. */
async function stapled(port: number, name: string): Promise<string> {
  const args = [
    "s_client",
    "-connect",
    `192.0.2.1:${port}`,
    "-servername",
    `${name}.example`,
    "-status",
    "-CAfile",
    "ca.crt",
  ];
  const asked = promisify(execFile)("openssl", args, { cwd: folder });
  asked.child.stdin?.end();
  const { stdout } = await asked;
  return /Cert Status: (\w+)|OCSP response: (no response sent)/.exec(stdout)?.slice(1).join("") ?? stdout;
}

test.each(["dynamic", "static"] as const)(
  "in %s mode nginx staples good answers alone, while enable-ocsp is on",
  async (mode) => {
    const port = httpsPort[mode];
    const flags = ["http", "https", "default-server", "status"].map((name, at) => `--${name}-port=${port - 1 + at}`);
    const objects = [ingressClass, ...service("web", []), ...secured("good"), ...secured("revoked")];
    const subject = await startSubject({ mode, flags, objects });
    subjects.push(subject);
    await subject.settled();
    expect(await stapled(port, "good")).toBe("no response sent");

    await subject.apply([settings({ "enable-ocsp": "true" })]);
    await until("an OCSP answer", async () => (await stapled(port, "good")) === "good");
    expect(await stapled(port, "revoked")).toBe("no response sent");

    await subject.apply([settings({})]);
    await subject.settled();
    expect(await stapled(port, "good")).toBe("no response sent");
  },
);

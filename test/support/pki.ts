/**
 * Makes the certificates of the tests with openssl, once per test run: a CA, the certificates that
 * it signed, and a foreign CA. They are ECDSA P-256 and differ from run to run; only their names
 * are fixed, so no test may compare a key or a serial number.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";

export interface KeyPair {
  /** PEM of the certificate alone, without its CA. */
  readonly certificate: string;
  readonly key: string;
}

/**
 * `ca` signed all but `stranger`, which `otherca` signed. `client` and `stranger` are client
 * certificates, `backend` is what backends serve.
 */
export type Pki = Readonly<Record<PkiName, KeyPair>>;
export type PkiName = "ca" | "otherca" | "tls" | "alt" | "client" | "stranger" | "backend";

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
const longLived = ["-days", "3650"];

/**
 * Reads the PKI of `folder`, and makes it first if it is incomplete. Rejects when openssl is
 * missing or fails.
 */
export async function pkiIn(folder: string): Promise<Pki> {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "complete"))) await make(folder);
  const pair = (name: PkiName): KeyPair => ({
    certificate: readFileSync(join(folder, `${name}.crt`), "utf8"),
    key: readFileSync(join(folder, `${name}.key`), "utf8"),
  });
  return {
    ca: pair("ca"),
    otherca: pair("otherca"),
    tls: pair("tls"),
    alt: pair("alt"),
    client: pair("client"),
    stranger: pair("stranger"),
    backend: pair("backend"),
  };
}

/**
 * Returns the one PKI for all tests on this machine. It is moved into place as a whole, because
 * parallel suites may need it at the same time.
 */
export async function sharedPki(): Promise<Pki> {
  const folder = join(tmpdir(), "sluice-e2e-pki");
  if (!existsSync(folder)) {
    const draft = mkdtempSync(`${folder}-`);
    await pkiIn(draft);
    try {
      renameSync(draft, folder);
    } catch {
      rmSync(draft, { recursive: true }); // Another process has made it first.
    }
  }
  return pkiIn(folder);
}

async function make(folder: string): Promise<void> {
  await Promise.all([authority(folder, "ca", "Corpus CA"), authority(folder, "otherca", "Other CA")]);
  await Promise.all([
    leaf(folder, { name: "tls", by: "ca", commonName: "tls.example", names: "DNS:*.example,DNS:example" }),
    leaf(folder, { name: "alt", by: "ca", commonName: "alt.example", names: "DNS:alt.example" }),
    leaf(folder, { name: "client", by: "ca", commonName: "client one", names: "DNS:client.example" }),
    leaf(folder, { name: "stranger", by: "otherca", commonName: "stranger", names: "DNS:stranger.example" }),
    leaf(folder, { name: "backend", by: "ca", commonName: "backend.example", names: "DNS:backend.example,DNS:*.svc" }),
  ]);
  writeFileSync(join(folder, "complete"), "");
}

async function authority(folder: string, name: PkiName, commonName: string): Promise<void> {
  const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`];
  await execa("openssl", ["req", "-x509", ...newKey, ...longLived, ...files, "-subj", `/CN=${commonName}`], {
    cwd: folder,
  });
}

export interface Leaf {
  readonly name: string;
  readonly by: "ca" | "otherca";
  readonly commonName: string;
  /** More of the subject in the syntax of openssl, such as `/OU=shop`. */
  readonly besides?: string;
  /** The names in the syntax of openssl's subjectAltName. */
  readonly names: string;
}

/** Makes the files NAME.crt and NAME.key in a folder that has a PKI. */
export async function leaf(folder: string, { name, by, commonName, besides = "", names }: Leaf): Promise<void> {
  const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`];
  const issuer = ["-CA", `${by}.crt`, "-CAkey", `${by}.key`];
  const extensions = ["-addext", `subjectAltName=${names}`, "-addext", "extendedKeyUsage=serverAuth,clientAuth"];
  const subject = ["-subj", `/CN=${commonName}${besides}`];
  await execa(
    "openssl",
    [
      "req",
      "-x509",
      ...newKey,
      ...longLived,
      ...files,
      ...issuer,
      ...extensions,
      ...subject,
      "-addext",
      "basicConstraints=critical,CA:FALSE",
    ],
    { cwd: folder },
  );
}

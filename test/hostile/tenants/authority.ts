/**
 * Makes a CA for client certificates, once for a test file, and client certificates that this CA
 * and another one have signed.
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leaf, pkiIn } from "../../support/pki.ts";

const folder = mkdtempSync(join(tmpdir(), "hostile-pki-"));
const pki = await pkiIn(folder);

/**
 * Returns the options of an agent whose certificate's subject consists of `a` and has this length.
 */
export async function longSubject(length: number): Promise<{ readonly cert: string; readonly key: string }> {
  const name = `long${length}`;
  // A part has at most 64 characters, and `,OU=` comes before it.
  const rest = length - "CN=a".length;
  const parts = Array.from({ length: Math.ceil(rest / 68) }, (_, at) => Math.min(68, rest - at * 68) - ",OU=".length);
  const besides = parts.map((size) => `/OU=${"a".repeat(size)}`).join("");
  await leaf(folder, { name, by: "ca", commonName: "a", besides, names: "DNS:a.example" });
  const [cert, key] = ["crt", "key"].map((end) => readFileSync(join(folder, `${name}.${end}`), "utf8"));
  return { cert: cert!, key: key! };
}

export const clientAuthority = pki.ca.certificate;
export { pki };

/**
 * Makes a CA for client certificates, once for a test file, and client certificates that this CA
 * and another one have signed.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pkiIn } from "../../support/pki.ts";

const pki = await pkiIn(mkdtempSync(join(tmpdir(), "hostile-pki-")));

export const clientAuthority = pki.ca.certificate;
export { pki };

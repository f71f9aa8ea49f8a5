/**
 * A certificate authority in a folder and the server certificates it issues, made with openssl.
 * A cluster has one of its own, because tests rotate it.
 */
import { join } from "node:path";
import { execa } from "execa";

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"];

export interface Authority {
  readonly certificateFile: string;
  readonly keyFile: string;
}

export async function newAuthority(folder: string, name: string): Promise<Authority> {
  const authority = { certificateFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
  const files = ["-keyout", authority.keyFile, "-out", authority.certificateFile];
  await execa("openssl", ["req", "-x509", ...newKey, ...files, "-subj", `/CN=${name}`]);
  return authority;
}

/**
 * Writes `name`.crt and `name`.key for a server. `names` has the form of openssl's subjectAltName.
 */
export async function issueServer(by: Authority, folder: string, name: string, names: string): Promise<Authority> {
  const issued = { certificateFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
  const files = ["-keyout", issued.keyFile, "-out", issued.certificateFile];
  const issuer = ["-CA", by.certificateFile, "-CAkey", by.keyFile];
  const extensions = ["-addext", `subjectAltName=${names}`, "-addext", "basicConstraints=critical,CA:FALSE"];
  await execa("openssl", ["req", "-x509", ...newKey, ...files, ...issuer, ...extensions, "-subj", `/CN=${name}`]);
  return issued;
}

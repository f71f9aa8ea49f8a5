/**
 * The proof of the program that gives nginx orders. The password exists in the memory of the
 * process that made it and nowhere else: the file beside it holds a salted hash, which each check
 * of the password reads. So nothing that a worker can read, neither configuration nor file nor Lua,
 * has the password in it, and a program that is started again makes a new one while nginx serves
 * on. A comparison that stops at the first difference would tell nothing, because a client cannot
 * choose the hash of what it sends.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { inPlace, writeAtomically } from "./folder/files.ts";

const user = "sluice";
const hashBytes = 20;

export class Pass {
  /** The value of the header Authorization. */
  readonly authorization: string;
  #secret: string;

  private constructor(secret: string) {
    this.#secret = secret;
    this.authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
  }

  /** A new one, known by `file` from now on; those before it are worth nothing any more. */
  static async issue(file: string): Promise<Pass> {
    const pass = new Pass(randomBytes(32).toString("base64url"));
    const salt = randomBytes(16);
    const written = Buffer.concat([hashOf(pass.#secret, salt), salt]).toString("base64");
    const line = `${user}:{SSHA}${written}\n`;
    // A full disk has room for as many bytes as are there.
    await writeAtomically(file, line).catch(() => writeFile(file, line, { flag: inPlace }));
    return pass;
  }
}

/**
 * Whether the value of an Authorization header is that of the Pass that `file` knows; false where
 * there is no such file.
 */
export async function isPass(authorization: string | undefined, file: string): Promise<boolean> {
  const known = /^sluice:\{SSHA\}(\S+)\s*$/.exec(await readFile(file, "utf8").catch(() => ""))?.[1];
  const told = /^Basic ([\w+/=]{1,200})$/.exec(authorization ?? "")?.[1];
  if (known === undefined || told === undefined) return false;
  const bytes = Buffer.from(known, "base64");
  const secret = Buffer.from(told, "base64").toString("latin1").slice(`${user}:`.length);
  const expected = bytes.subarray(0, hashBytes);
  return expected.length === hashBytes && timingSafeEqual(hashOf(secret, bytes.subarray(hashBytes)), expected);
}

/** nginx knows no longer hash; of 32 random bytes this one tells nothing. */
function hashOf(secret: string, salt: Buffer): Buffer {
  return createHash("sha1").update(secret).update(salt).digest();
}

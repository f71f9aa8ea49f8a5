/**
 * The controller's password for orders to nginx. It exists only in the memory of the process that
 * made it; a file has a salted hash, with which each check compares. So nothing that a worker can
 * read (configuration, files, Lua) contains the password, and a restarted program makes a new one
 * while nginx goes on serving. A comparison that stops at the first difference reveals nothing,
 * because a client cannot choose the hash of what it sends.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { repeat } from "../base/callbacks.ts";
import { inPlace, writeAtomically } from "./folder/files.ts";

const user = "sluice";
const hashBytes = 20;
/** The interval at which a disk that refused the file is tried again. */
const againMs = 1_000;

export class Pass {
  /** The value of the Authorization header. */
  readonly authorization: string;
  #secret: string;

  private constructor(secret: string) {
    this.#secret = secret;
    this.authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
  }

  /** Makes a new password, which replaces the earlier one in `file`. */
  static async issue(file: string): Promise<Pass> {
    const pass = new Pass(randomBytes(32).toString("base64url"));
    const salt = randomBytes(16);
    const written = Buffer.concat([hashOf(pass.#secret, salt), salt]).toString("base64");
    const line = `${user}:{SSHA}${written}\n`;
    // Even on a full disk a file can be overwritten with as many bytes as it has.
    const write = () => writeAtomically(file, line).catch(() => writeFile(file, line, { flag: inPlace }));
    const isWritten = await write().then(
      () => true,
      () => false,
    );
    // On a read-only disk nginx accepts no orders, but serves on. It accepts them when it can read
    // the new hash.
    if (isWritten) return pass;
    const again: NodeJS.Timeout = repeat("the writing of the password for nginx", againMs, () =>
      write().then(() => clearInterval(again)),
    ).unref();
    return pass;
  }
}

/**
 * Whether the value of an Authorization header matches the Pass in `file`; false if the file
 * does not exist.
 */
export async function isPass(authorization: string | undefined, file: string): Promise<boolean> {
  const known = /^sluice:\{SSHA\}(\S+)\s*$/.exec(await readFile(file, "utf8").catch(() => ""))?.[1];
  const given = /^Basic ([\w+/=]{1,200})$/.exec(authorization ?? "")?.[1];
  if (known === undefined || given === undefined) return false;
  const bytes = Buffer.from(known, "base64");
  const secret = Buffer.from(given, "base64").toString("latin1").slice(`${user}:`.length);
  const expected = bytes.subarray(0, hashBytes);
  return expected.length === hashBytes && timingSafeEqual(hashOf(secret, bytes.subarray(hashBytes)), expected);
}

/**
 * Returns the hash of a secret. nginx accepts no longer hash. This one is strong enough for 32
 * random bytes.
 */
function hashOf(secret: string, salt: Buffer): Buffer {
  return createHash("sha1").update(secret).update(salt).digest();
}

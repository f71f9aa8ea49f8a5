/**
 * Checks PEM from a Secret before nginx reads it: one block that OpenSSL cannot read would make
 * nginx refuse the whole configuration.
 */
import { createSecureContext } from "node:tls";

/**
 * Whether `text` holds at least one block called `label`, and `read` throws for none of these
 * blocks.
 */
export function readablePem(text: string, label: string, read: (block: string) => unknown): boolean {
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g)];
  const wanted = blocks.filter(([, found]) => found === label);
  return wanted.length > 0 && wanted.every(([block]) => doesNotThrow(() => read(block)));
}

function doesNotThrow(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/**
 * Throws if `block` is not a list of revoked certificates. OpenSSL decides, because nginx uses
 * it as well.
 */
export function readRevocationList(block: string): void {
  // The list of authorities is empty, because Node would otherwise load its own ones.
  createSecureContext({ ca: [], crl: block });
}

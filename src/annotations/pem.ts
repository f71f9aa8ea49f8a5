/**
 * PEM from a Secret, looked at before nginx does: one block that OpenSSL cannot read would make
 * nginx refuse everybody's configuration.
 */
import { createSecureContext } from "node:tls";

/** Whether `text` holds at least one block called `label`, and `read` throws for none of them. */
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
 * Throws where `block` is no list of revoked certificates, by OpenSSL's judgement, which is nginx's
 * own.
 */
export function readRevocationList(block: string): void {
  // Without authorities, else Node would load all that it knows.
  createSecureContext({ ca: [], crl: block });
}

/**
 * PEM from a Secret, looked at before nginx does: one block that OpenSSL cannot read would make nginx refuse everybody's
 * configuration.
 */
import { createRequire } from "node:module";

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
 * Throws where `block` is no list of revoked certificates. The library is loaded with the first such list: few have one, and it is
 * a third of the time that `sluice check` takes to start.
 */
export function readRevocationList(block: string): void {
  const load = createRequire(import.meta.url);
  load("reflect-metadata");
  const { X509Crl } = load("@peculiar/x509") as typeof import("@peculiar/x509");
  new X509Crl(block);
}

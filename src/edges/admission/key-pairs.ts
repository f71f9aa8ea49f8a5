/**
 * The certificate that the webhook serves. It comes from two files, or from the part that makes
 * one. A Secret volume changes its files one after the other, so a pair whose parts do not fit
 * together is ignored, and the previous pair stays in use.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { createSecureContext } from "node:tls";
import { watchFolder } from "../../base/watched-folder.ts";

export interface KeyPair {
  /** PEM, with the leaf certificate first. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export interface KeyPairs {
  current(): KeyPair;
  /** Calls `listener` with each new pair. Returns a function that ends this. */
  onChange(listener: (pair: KeyPair) => void): () => void;
}

export interface KeyPairFiles extends KeyPairs {
  close(): Promise<void>;
}

export type OpenedKeyPairs =
  | { readonly ok: true; readonly keyPairs: KeyPairFiles }
  | { readonly ok: false; readonly why: string };

/**
 * Reads the two files and watches their folders. `unusable` is called for each new content that is
 * not used.
 */
export async function openKeyPairFiles(
  certificateFile: string,
  keyFile: string,
  unusable: (why: string) => void,
): Promise<OpenedKeyPairs> {
  const first = readPair(certificateFile, keyFile);
  if (!first.ok) return first;
  const listeners = new Set<(pair: KeyPair) => void>();
  let { pair } = first;
  let seen = signOf(first);
  const look = (): void => {
    const read = readPair(certificateFile, keyFile);
    if (signOf(read) === seen) return;
    seen = signOf(read);
    if (read.ok) {
      pair = read.pair;
      for (const listener of listeners) listener(pair);
    } else unusable(read.why);
  };
  const folders = new Set([certificateFile, keyFile].map((file) => dirname(file)));
  const stops = await Promise.all([...folders].map((folder) => watchFolder(folder, look)));
  look(); // what happened before the watch began
  return {
    ok: true,
    keyPairs: {
      current: () => pair,
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      close: async () => {
        await Promise.all(stops.map((stop) => stop()));
      },
    },
  };
}

type ReadPair = { readonly ok: true; readonly pair: KeyPair } | { readonly ok: false; readonly why: string };

function readPair(certificateFile: string, keyFile: string): ReadPair {
  try {
    const pair = { cert: readFileSync(certificateFile, "utf8"), key: readFileSync(keyFile, "utf8") };
    createSecureContext(pair);
    return { ok: true, pair };
  } catch (error) {
    const why = (error as Error).message;
    return { ok: false, why: `${certificateFile} and ${keyFile} are no usable certificate and key: ${why}` };
  }
}

/**
 * Returns a hash, which is equal for equal content. So no key material is kept for the comparison.
 */
function signOf(read: ReadPair): string {
  const text = read.ok ? `${read.pair.cert}\0${read.pair.key}` : read.why;
  return hash("sha256", text);
}

/** A folder of manifests, read once: what `serve` would read at its start. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Library } from "../../manifests/library.ts";
import { type Manifest, type ManifestObject, readManifest } from "../../manifests/manifest.ts";
import { scanFolder } from "../../manifests/scan.ts";
import type { Certificate } from "../../model/configuration.ts";
import { SecretText } from "../../model/configuration.ts";
import { assumedClass } from "../assumed-class.ts";
import type { Flags } from "../flags.ts";

/** By path below the folder. */
export type Files = ReadonlyMap<string, Manifest>;

export type ReadFolder = { readonly ok: true; readonly files: Files } | { readonly ok: false; readonly why: string };

export function readFolder(folder: string): ReadFolder {
  const scan = scanFolder(folder);
  if (scan instanceof Error) return { ok: false, why: `the folder ${folder} cannot be read: ${scan.message}` };
  const files = new Map<string, Manifest>();
  for (const file of scan.keys()) {
    try {
      files.set(file, readManifest(readFileSync(join(folder, file), "utf8")));
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      return { ok: false, why: `${join(folder, file)} cannot be read: ${error.message}` };
    }
  }
  return { ok: true, files };
}

export function newLibrary(flags: Flags): Library {
  return new Library({ assumedClass: assumedClass(flags), now: () => new Date() });
}

/** The first definition of each object, by `Kind namespace/name`, with its file. */
export function definitionsOf(files: Files): ReadonlyMap<string, ManifestObject & { readonly file: string }> {
  const found = new Map<string, ManifestObject & { readonly file: string }>();
  for (const [file, { objects }] of files) {
    for (const one of objects) {
      const id = `${one.kind} ${one.key}`;
      if (!found.has(id)) found.set(id, { ...one, file });
    }
  }
  return found;
}

/** Stands for the certificate that a controller makes when it starts. */
export const unmadeCertificate: Certificate = {
  id: "fake",
  chain: "",
  key: new SecretText(""),
  notBefore: new Date(0),
  notAfter: new Date(8.64e15),
  names: ["ingress.local"],
  weakness: undefined,
  fingerprint: "made-at-the-start",
};

/**
 * Reads manifests once: a folder as `serve` reads it at its start, a single file such as a dump, or
 * standard input.
 */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileError } from "../base/file-errors.ts";
import type { Flags } from "../controller/flags.ts";
import { assumedClass } from "../controller/serve/assumed-class.ts";
import type { Certificate } from "../core/model/configuration.ts";
import { noIdentity, SecretText } from "../core/model/configuration.ts";
import { objectKey } from "../core/model/objects.ts";
import { Library } from "../edges/folder/library.ts";
import { textOf } from "../edges/folder/limits.ts";
import { type Manifest, type ManifestObject, readManifest, unreadManifest } from "../edges/folder/manifest.ts";
import type { Memory } from "../edges/folder/memory.ts";
import { scanFolder } from "../edges/folder/scan.ts";
import { otherLanguage } from "./texts.ts";

/** Files by path below the folder. */
export type Files = ReadonlyMap<string, Manifest>;

export type ReadFolder = { readonly ok: true; readonly files: Files } | { readonly ok: false; readonly why: string };

export interface ReadingOptions {
  /** Similar folders share one memory of parsed documents. */
  readonly memory?: Memory | undefined;
  /** Returns the text that is read in place of that of a file. */
  readonly prepared?: (text: string) => string;
}

/** Reads a folder or a file. `-` is standard input. */
export function readFolder(folder: string, { memory, prepared = (text) => text }: ReadingOptions = {}): ReadFolder {
  const parsed = (text: string) => readManifest(prepared(text), memory);
  const read = (root: string, paths: Paths) => readAll(root, paths, parsed);
  if (folder === "-") return readOutput("standard input", 0, parsed);
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat?.isFile()) return read(dirname(folder), new Map([[basename(folder), basename(folder)]]));
  // A shell passes the output of a command, `<(helm template ...)`, as a pipe with a name.
  if (stat?.isDirectory() === false) return readOutput(folder, folder, parsed);
  if (!existsSync(folder)) return { ok: false, why: `there is no folder or file ${folder}` };
  const scan = scanFolder(folder);
  if (scan instanceof Error) return { ok: false, why: `the folder ${folder} cannot be read: ${fileError(scan)}` };
  return read(folder, new Map([...scan.keys()].map((file) => [file, file])));
}

/** Refuses the output of a command that wrote nothing, because it has probably failed. */
function readOutput(name: string, path: string | 0, parsed: Parsed): ReadFolder {
  const read = textOf(path);
  if (!read.ok) return { ok: false, why: `${name} cannot be read: ${read.why}` };
  if (read.text.trim() === "") return { ok: false, why: `${name} is empty; did the command that writes it fail?` };
  return { ok: true, files: new Map([[name, parsed(read.text)]]) };
}

type Parsed = (text: string) => Manifest;

/** Paths below the folder, as sentences name them. */
type Paths = ReadonlyMap<string, string>;

function readAll(folder: string, paths: Paths, parsed: Parsed): ReadFolder {
  const files = new Map<string, Manifest>();
  for (const [file, path] of paths) {
    const other = otherLanguage(file);
    if (other !== undefined) {
      files.set(file, unreadManifest(other));
      continue;
    }
    const read = textOf(join(folder, path));
    if (!read.ok) return { ok: false, why: `${join(folder, file)} cannot be read: ${read.why}` };
    files.set(file, parsed(read.text));
  }
  return { ok: true, files };
}

export function newLibrary(flags: Flags): Library {
  return new Library({ assumedClass: assumedClass(flags), now: () => new Date() });
}

/** An object of a file. Its line is only computed when it is needed. */
export type Definition = Pick<ManifestObject, "object" | "placeOf"> & { readonly file: string };

/** Returns the first definition of each object, by its `objectKey`. */
export function definitionsOf(files: Files): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  for (const [file, { objects }] of files) {
    for (const { kind, key, object, placeOf } of objects) {
      const id = objectKey(kind, key);
      if (!found.has(id)) found.set(id, { object, placeOf, file });
    }
  }
  return found;
}

/** A stand-in for the certificate that a controller makes at its start. */
export const unmadeCertificate: Certificate = {
  id: "fake",
  chain: "",
  key: new SecretText(""),
  notBefore: new Date(0),
  notAfter: new Date(8.64e15),
  names: ["ingress.local"],
  identity: noIdentity,
  weakness: undefined,
  fingerprint: "made-at-the-start",
};

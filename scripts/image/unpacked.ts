/**
 * Unpacks images into folders of the cache, where the tests run them: Sluice's image with nginx
 * 1.30 or 1.26, and one with a curl for HTTP/3. Unpacking needs root, because files belong to other
 * users.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { buildImage } from "./build.ts";
import { lockFile } from "./lock.ts";
import { sha256 } from "./mirror.ts";
import type { ImageConfig, Layer } from "./oci.ts";
import { fileOf, imageCache, isUse, storedPins } from "./store.ts";
import { builder, type Suite } from "./suites.ts";

export interface Unpacked {
  readonly digest: string;
  /** The version of Debian's package, such as 1.30.6-2. */
  readonly nginx: string;
  readonly config: ImageConfig;
  readonly root: string;
  /** The additional files of the `-debug` tag, in a folder of its own. */
  readonly debugLayer: string;
  /** The size of each layer, unpacked and compressed, in bytes. */
  readonly layers: readonly { readonly what: string; readonly bytes: number; readonly compressed: number }[];
}

/** Returns the results of a build for the tests. */
export function unpackedImage(suite: Suite): Unpacked {
  return JSON.parse(readFileSync(join(imageCache(), `unpacked-${suite}.json`), "utf8")) as Unpacked;
}

/**
 * Builds the image for this machine's processor and unpacks it. A newer package in Debian must not
 * fail CI.
 */
export async function unpackImage(suite: Suite): Promise<Unpacked> {
  const layout = join(imageCache(), `layout-${suite}-${process.pid}`);
  const options = { suite, processors: [builder], folder: layout, tag: "test", whenGone: "take the newest" } as const;
  try {
    const { descriptor, pins, config, layers, debug } = await buildImage(options);
    const id = `${suite}-${descriptor.digest.slice(7, 23)}`;
    const root = unpack(id, (folder) => extract(layers, folder));
    const debugLayer = unpack(`debug-${id}`, (folder) => extract([debug], folder));
    const unpacked: Unpacked = {
      digest: descriptor.digest,
      nginx: pins.find(({ name }) => name === "nginx")!.version,
      config,
      root,
      debugLayer,
      layers: layers.map(({ what, archive, compressed }) => ({
        what,
        bytes: archive.length,
        compressed: compressed.length,
      })),
    };
    writeFileSync(join(imageCache(), `unpacked-${suite}.json`), JSON.stringify(unpacked));
    return unpacked;
  } finally {
    rmSync(layout, { recursive: true, force: true });
  }
}

function extract(layers: readonly Layer[], folder: string): void {
  const kept = ["--xattrs", "--xattrs-include=*", "--numeric-owner", "--same-permissions"];
  for (const { archive } of layers)
    execFileSync("tar", ["--extract", ...kept, "--directory", folder], {
      input: archive,
      stdio: ["pipe", "inherit", "inherit"],
    });
}

/**
 * Returns the folder of Debian's curl with HTTP/3. Its name changes with the pins and with this
 * code's way of unpacking.
 */
export function clientRoot(): string {
  const sources = [lockFile("testing"), import.meta.filename].map((path) => readFileSync(path));
  return join(roots(), `client-${sha256(Buffer.concat(sources)).slice(0, 16)}`);
}

export async function unpackClient(): Promise<void> {
  if (existsSync(clientRoot())) return;
  const pins = await storedPins("testing", isUse("client"), "take the newest");
  unpack(clientRoot().slice(roots().length + 1), (folder) => {
    for (const pin of pins) execFileSync("dpkg-deb", ["--extract", fileOf(pin), folder]);
    for (const name of ["proc", "dev", "sys", "tmp"]) mkdirSync(join(folder, name), { recursive: true });
    // Debian's package base-files makes these links by a script, which does not run here. Programs
    // look for their loader behind one of them.
    for (const name of ["bin", "sbin", "lib", "lib64"])
      if (!existsSync(join(folder, name))) symlinkSync(`usr/${name}`, join(folder, name));
  });
}

const roots = () => join(imageCache(), "roots");
const dayMs = 86_400_000;

/**
 * A root appears under its name only when it is complete. Other roots of the kind are removed after
 * a day.
 */
function unpack(name: string, fill: (folder: string) => void): string {
  mkdirSync(roots(), { recursive: true });
  const root = join(roots(), name);
  if (existsSync(root)) return root;
  const draft = mkdtempSync(join(roots(), "draft-"));
  try {
    execFileSync("chmod", ["755", draft]);
    fill(draft);
    if (!existsSync(root)) renameSync(draft, root);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  const [kind] = name.split("-");
  for (const other of readdirSync(roots()).filter((one) => one !== name && one.startsWith(`${kind}-`))) {
    const folder = join(roots(), other);
    if (statSync(folder).ctimeMs < Date.now() - dayMs) rmSync(folder, { recursive: true, force: true });
  }
  return root;
}

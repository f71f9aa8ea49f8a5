/**
 * Builds the Dockerfile for the tests, and unpacks the image into a folder of the cache, where the
 * tests run it. Unpacking needs root, because files belong to other users.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa, execaSync } from "execa";
import { cacheFolder } from "../go-builds.ts";
import { baseImages } from "./base-images.ts";
import { build, ownProcessor, type Processor, type Suite } from "./builder.ts";

export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
}
export interface Unpacked {
  /** The image's name in the builder. */
  readonly id: string;
  readonly config: ImageConfig;
  readonly root: string;
  /** The additional files of the debug image, in a folder of its own. */
  readonly debugLayer: string;
  /** The size of the image when it is pulled, in bytes. */
  readonly compressed: number;
}

const imageCache = (): string => join(cacheFolder(process.env), "image");
const roots = () => join(imageCache(), "roots");
const resultFile = (suite: Suite) => join(imageCache(), `unpacked-${suite}.json`);

/** Returns the results of a build for the tests. */
export function unpackedImage(suite: Suite): Unpacked {
  return JSON.parse(readFileSync(resultFile(suite), "utf8")) as Unpacked;
}

/**
 * Builds the image for this machine's processor and unpacks it; an image that is unpacked already
 * is used.
 */
export async function unpackImage(suite: Suite): Promise<Unpacked> {
  const id = await builtImage(suite, []);
  const debugId = await builtImage(suite, ["--target", "debug"]);
  const known = existsSync(resultFile(suite)) ? unpackedImage(suite) : undefined;
  if (known?.id === id && existsSync(known.root) && existsSync(known.debugLayer)) return known;
  const own = await layersOf(id);
  const name = `${suite}-${id.slice(0, 16)}`;
  // The debug image is the image and a layer more, so it alone is read.
  return inLayout(debugId, (layout) => {
    const { config, layers } = readLayout(layout);
    const unpacked: Unpacked = {
      id,
      config,
      root: unpack(name, layers.slice(0, own), layout),
      debugLayer: unpack(`debug-${name}`, layers.slice(own), layout),
      compressed: layers.slice(0, own).reduce((total, { size }) => total + size, 0),
    };
    writeFileSync(resultFile(suite), JSON.stringify(unpacked));
    return unpacked;
  });
}

async function inLayout<T>(id: string, read: (layout: string) => T): Promise<T> {
  const layout = mkdtempSync(join(tmpdir(), "sluice-layout-"));
  try {
    await execa("buildah", ["push", "--quiet", id, `oci:${layout}`]);
    return read(layout);
  } finally {
    rmSync(layout, { recursive: true });
  }
}

/** The folder of Debian's curl, which has HTTP/3, made from test/image/client/Dockerfile. */
export const clientRoot = (): string => join(roots(), readFileSync(join(imageCache(), "client"), "utf8"));

export async function unpackClient(): Promise<void> {
  const id = await builtImage("testing", ["--file", "test/image/client/Dockerfile"]);
  const name = `client-${id.slice(0, 16)}`;
  if (!existsSync(join(roots(), name))) await inLayout(id, (layout) => unpack(name, readLayout(layout).layers, layout));
  writeFileSync(join(imageCache(), "client"), name);
}

/** Builds the image, or a target of it, and returns its id. */
export async function builtImage(
  suite: Suite,
  more: readonly string[],
  processor: Processor = ownProcessor,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-image-id-"));
  try {
    const file = join(folder, "id");
    const bases = await baseImages(suite, processor);
    await build("buildah", [...bases, "--platform", `linux/${processor}`, "--iidfile", file, ...more]);
    return readFileSync(file, "utf8").trim().replace("sha256:", "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** Reads an OCI layout with one image. */
export function readLayout(layout: string): { readonly config: ImageConfig; readonly layers: readonly Blob[] } {
  const read = (path: string) => JSON.parse(readFileSync(join(layout, path), "utf8"));
  const [{ digest }] = read("index.json").manifests as readonly Blob[] as [Blob];
  const manifest = read(blobPath(digest)) as { config: Blob; layers: readonly Blob[] };
  return { config: read(blobPath(manifest.config.digest)).config, layers: manifest.layers };
}

const blobPath = (digest: string) => `blobs/${digest.replace(":", "/")}`;

async function layersOf(id: string): Promise<number> {
  const { stdout } = await execa("buildah", ["inspect", "--type", "image", id]);
  return JSON.parse(stdout).OCIv1.rootfs.diff_ids.length;
}

export function extract(layers: readonly Blob[], layout: string, folder: string): void {
  const kept = ["--xattrs", "--xattrs-include=*", "--numeric-owner", "--same-permissions"];
  for (const { digest } of layers)
    execaSync("tar", ["--extract", ...kept, "--file", join(layout, blobPath(digest)), "--directory", folder]);
}

const dayMs = 86_400_000;

/**
 * A root appears under its name only when it is complete. Other roots of the kind are removed after
 * a day.
 */
function unpack(name: string, layers: readonly Blob[], layout: string): string {
  mkdirSync(roots(), { recursive: true });
  const root = join(roots(), name);
  if (existsSync(root)) return root;
  const draft = mkdtempSync(join(roots(), "draft-"));
  try {
    chmodSync(draft, 0o755);
    extract(layers, layout, draft);
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

/**
 * An OCI layout: a folder with blobs by their hash, from which `skopeo copy oci:FOLDER:TAG` pushes
 * an image to a registry. Nothing in it depends on the day or the machine, so equal inputs give
 * equal digests.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { sha256 } from "./mirror.ts";
import type { Processor } from "./suites.ts";

export interface Layer {
  readonly what: string;
  readonly archive: Buffer;
  readonly compressed: Buffer;
}
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: Processor; readonly os: "linux" };
  readonly annotations?: Readonly<Record<string, string>>;
}

const type = (what: string) => `application/vnd.oci.image.${what}`;
/** Every date in an image is this one. */
const epoch = "1970-01-01T00:00:00Z";

export const layerOf = (what: string, archive: Buffer): Layer => ({
  what,
  archive,
  compressed: gzipSync(archive, { level: 6 }),
});

export class Layout {
  readonly folder: string;
  readonly #tags: Descriptor[] = [];

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
    writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  }

  /** Adds the image of one processor and returns its descriptor. */
  add(architecture: Processor, config: ImageConfig, layers: readonly Layer[]): Descriptor {
    const configured = this.#blob(type("config.v1+json"), {
      created: epoch,
      architecture,
      os: "linux",
      config,
      rootfs: { type: "layers", diff_ids: layers.map(({ archive }) => `sha256:${sha256(archive)}`) },
      history: layers.map(({ what }) => ({ created: epoch, created_by: what })),
    });
    const stored = layers.map(({ compressed }) => this.#blob(type("layer.v1.tar+gzip"), compressed));
    const manifest = { schemaVersion: 2, mediaType: type("manifest.v1+json"), config: configured, layers: stored };
    return { ...this.#blob(manifest.mediaType, manifest), platform: { architecture, os: "linux" } };
  }

  /** Gives the images of several processors one name. */
  tag(name: string, images: readonly Descriptor[]): Descriptor {
    const index = { schemaVersion: 2, mediaType: type("index.v1+json"), manifests: images };
    const descriptor = {
      ...this.#blob(index.mediaType, index),
      annotations: { "org.opencontainers.image.ref.name": name },
    };
    this.#tags.push(descriptor);
    writeFileSync(
      join(this.folder, "index.json"),
      JSON.stringify({ schemaVersion: 2, mediaType: index.mediaType, manifests: this.#tags }),
    );
    return descriptor;
  }

  #blob(mediaType: string, content: Buffer | object): Descriptor {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const hash = sha256(bytes);
    writeFileSync(join(this.folder, "blobs/sha256", hash), bytes);
    return { mediaType, digest: `sha256:${hash}`, size: bytes.length };
  }
}

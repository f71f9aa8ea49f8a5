/**
 * The digests of the base images, in `image/digests`. A tag of a registry moves; a digest always
 * names the same bytes. The file is only there where a maintainer has written it.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Suite } from "./builder.ts";

const repository = join(import.meta.dirname, "../..");
const file = join(repository, "image/digests");
const dockerfile = () => readFileSync(join(repository, "Dockerfile"), "utf8");

/**
 * Returns the arguments that choose the suite and, if they are known for it, the base images by
 * digest.
 */
export function pinnedBases(suite: Suite): readonly string[] {
  const written = existsSync(file) ? readFileSync(file, "utf8") : "";
  return pinned(written, defaultImages(dockerfile(), suite), suite).flatMap((line) => ["--build-arg", line]);
}

/** Throws a sentence if the digests are not those of `images`: they would build an older image. */
export function pinned(written: string, images: ReadonlyMap<string, string>, suite: Suite): readonly string[] {
  const lines = written.trim().split("\n");
  const chosen = `SUITE=${suite}`;
  if (!lines.includes(chosen)) return [chosen];
  const stale = [...images].find(([name, image]) => !lines.some((line) => line.startsWith(`${name}=${image}@`)));
  if (stale === undefined) return lines;
  throw new Error(
    `image/digests has no digest of ${stale[1]}, which the Dockerfile names; write it again: npm run image -- digests`,
  );
}

export async function writeDigests(suite: Suite): Promise<void> {
  const images = [...defaultImages(dockerfile(), suite)];
  const digests = await Promise.all(images.map(async ([name, image]) => `${name}=${image}@${await digestOf(image)}`));
  const text = [`SUITE=${suite}`, ...digests].join("\n");
  writeFileSync(file, `${text}\n`);
  console.log(text);
}

/** Returns the base images that a Dockerfile uses by default, by the names of their arguments. */
export function defaultImages(dockerfile: string, suite: Suite): ReadonlyMap<string, string> {
  const found = [...dockerfile.matchAll(/^ARG (\w+_IMAGE)=(?!\$)(\S+)$/gm)];
  return new Map(found.map(([, name, image]) => [name!, image!.replace("${SUITE}", suite)]));
}

/** Indexes of images for several processors, and images for one. */
const manifests = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

/**
 * Asks the registry of an image for its digest, without an account. As with docker, only a registry
 * on this machine is asked without TLS. Throws a sentence with the image and the registry.
 */
export async function digestOf(image: string): Promise<string> {
  const [, registry = "registry-1.docker.io", name, tag] =
    /^(?:([^/]*[.:][^/]*|localhost)\/)?([^:@]+):([\w.-]+)$/.exec(image) ?? [];
  if (name === undefined) throw new Error(`${image} is not the name of an image with a tag.`);
  const path = name.includes("/") || registry !== "registry-1.docker.io" ? name : `library/${name}`;
  const scheme = /^(127\.|localhost)/.test(registry) ? "http" : "https";
  const ask = (headers: Readonly<Record<string, string>>) =>
    fetch(`${scheme}://${registry}/v2/${path}/manifests/${tag}`, {
      method: "HEAD",
      headers: { accept: manifests.join(", "), ...headers },
      signal: AbortSignal.timeout(60_000),
    });
  const failed = (why: string) => new Error(`The registry ${registry} gives no digest of ${image}: ${why}.`);
  try {
    const first = await ask({});
    const challenge = first.headers.get("www-authenticate");
    const isRefused = first.status === 401 && challenge !== null;
    const answer = isRefused ? await ask({ authorization: `Bearer ${await tokenFor(challenge)}` }) : first;
    const digest = answer.headers.get("docker-content-digest");
    if (answer.ok && digest !== null) return digest;
    throw new Error(answer.ok ? "its answer names none" : `it answers ${answer.status}`);
  } catch (error) {
    const { message, cause } = error as Error;
    throw failed(cause instanceof Error ? cause.message || String(cause) : message);
  }
}

/** Fetches a token for reading, from the service that the registry's answer 401 names. */
async function tokenFor(challenge: string): Promise<string> {
  const { realm, ...query } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
  if (!/^bearer /i.test(challenge) || realm === undefined) throw new Error(`it demands "${challenge}"`);
  const answer = await fetch(`${realm}?${new URLSearchParams(query)}`, { signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`${new URL(realm).host} answers ${answer.status} to the request for a token`);
  const { token, access_token: access } = (await answer.json()) as { token?: string; access_token?: string };
  return token ?? access ?? "";
}

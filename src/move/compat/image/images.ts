/**
 * Images of a controller: copies of ingress-nginx's, Sluice's, and those that others have built on
 * ingress-nginx's. `_image.tpl` of the chart tells them apart in the same way.
 */
import { at } from "../../../tools/value-at.ts";

/** The path of ingress-nginx's image, also in a mirror. */
const copies = /(ingress-nginx[-_./]controller(-chroot)?|nginx-ingress-controller(-[a-z0-9]+)?)$/;

const tags = /^(v?1\.[0-9]+\.[0-9]+|v0\.[0-9][0-9]\.)/;

/** An image that is neither a copy of ingress-nginx's nor Sluice's. */
export const isForeign = (path: string): boolean => path !== "" && !copies.test(path) && !path.includes("sluice");

/** Whether the tag is a version of ingress-nginx, so that the chart ignores the image. */
export const isTheirTag = (tag: unknown): boolean => tags.test(String(tag ?? ""));

/** Returns path and tag of the image in the chart's values; undefined if they name neither. */
export function imageOfValues(content: unknown): string | undefined {
  const image = at(content, "controller", "image");
  const path = at(image, "repository") || at(image, "image");
  const tag = at(image, "tag");
  if (!path && !tag) return undefined;
  return `${path || "ingress-nginx/controller"}${tag ? `:${tag}` : ""}`;
}

/**
 * Whether the image runs Lua plugins: ingress-nginx did before 1.12, and images of others may do so
 * still.
 */
export function runsPlugins(image: string): boolean {
  const [, path = "", tag = ""] = /^(.*?)(?::([^:/@]*))?(?:@.*)?$/.exec(image) ?? [];
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(tag) ?? [];
  return isForeign(path) || (major !== undefined && (major === "0" || (major === "1" && Number(minor) < 12)));
}

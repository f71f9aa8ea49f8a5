/**
 * The template's files on disk: those that come with Sluice, and over them those of a folder that a
 * user mounted.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { TemplateFiles } from "../render/template.ts";
import { shipped } from "../shipped.ts";

export const builtInTemplates = shipped("templates");

/**
 * By name, without `.tmpl` and below the folder. A folder that Kubernetes mounts from a ConfigMap
 * has a link for each file, which leads by way of `..data` to a folder whose name begins with dots
 * too: the links count, and what they lead to is not read a second time.
 */
export function readTemplateFiles(folder: string): TemplateFiles {
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (name.startsWith("..") || !name.endsWith(".tmpl") || !statSync(path).isFile()) continue;
    files.set(name.slice(0, -".tmpl".length), readFileSync(path, "utf8"));
  }
  return files;
}

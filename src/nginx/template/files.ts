/**
 * Reads the template's files: the built-in ones, and those of a folder that a user mounted, which
 * replace them.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileError } from "../../base/file-errors.ts";
import { shipped } from "../../base/shipped.ts";
import type { TemplateFiles } from "../../core/render/template.ts";

export const builtInTemplates = shipped("templates");

/**
 * Returns the files by their path below the folder, without `.tmpl`. In a folder that Kubernetes
 * mounts from a ConfigMap, each file is a link into a hidden folder. The links are read, and the
 * hidden folder is skipped.
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

export type ReadTemplateFolders =
  | { readonly ok: true; readonly files: TemplateFiles }
  | { readonly ok: false; readonly why: string };

/** Reads the files of all folders. A file of a later folder replaces that of an earlier one. */
export function readTemplateFolders(folders: readonly string[]): ReadTemplateFolders {
  try {
    return { ok: true, files: new Map(folders.flatMap((folder) => [...readTemplateFiles(folder)])) };
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return { ok: false, why: fileError(error) };
    throw error;
  }
}

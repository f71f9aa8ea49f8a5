/** The template's files on disk: those that come with Sluice, and over them those of a folder that a user mounted. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { TemplateFiles } from "./render/template.ts";

export const builtInTemplates = fileURLToPath(new URL("../templates", import.meta.url));

export function readTemplateFiles(folder: string): TemplateFiles {
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".tmpl")) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(folder, path).slice(0, -".tmpl".length), readFileSync(path, "utf8"));
  }
  return files;
}

/**
 * The pages that every nginx brings in its folder `html`. A snippet with `try_files $uri
 * /index.html` finds the second file there, and without it nginx would look for it without end and
 * answer 500.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const titles = { "index.html": "nginx", "50x.html": "Error" };

/** Writes the pages that are missing. */
export function writePages(folder: string): void {
  for (const [name, title] of Object.entries(titles)) {
    const path = join(folder, name);
    const page = `<!DOCTYPE html>\n<html lang="en">\n<head><title>${title}</title></head>\n<body><h1>${title}</h1></body>\n</html>\n`;
    if (!existsSync(path)) writeFileSync(path, page, { mode: 0o600 });
  }
}

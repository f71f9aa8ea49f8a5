/**
 * Files that every nginx brings beside its program, and that snippets expect. nginx looks for them
 * in the run folder, because that is its prefix and has its nginx.conf.
 */
import { existsSync, lstatSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunFolder } from "./paths.ts";

/**
 * The pages of the folder `html`. A snippet with `try_files $uri /index.html` finds the second file
 * there. Without it nginx would look for it without end and answer 500.
 */
const titles = { "index.html": "nginx", "50x.html": "Error" };

/** Files beside nginx.conf, as in `include fastcgi_params;`. */
const included = ["fastcgi.conf", "fastcgi_params", "mime.types", "scgi_params", "uwsgi_params"];

/** Adds the files that are missing. `installed` is the folder in which nginx's package has them. */
export function addUsualFiles({ root, html }: RunFolder, installed = "/etc/nginx"): void {
  for (const [name, title] of Object.entries(titles)) {
    const path = join(html, name);
    const page = `<!DOCTYPE html>\n<html lang="en">\n<head><title>${title}</title></head>\n<body><h1>${title}</h1></body>\n</html>\n`;
    if (!existsSync(path)) writeFileSync(path, page, { mode: 0o600 });
  }
  for (const name of included) {
    const isMissing = lstatSync(join(root, name), { throwIfNoEntry: false }) === undefined;
    if (isMissing && existsSync(join(installed, name))) symlinkSync(join(installed, name), join(root, name));
  }
}

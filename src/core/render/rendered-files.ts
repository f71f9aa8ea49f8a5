/**
 * Files beside nginx.conf that its text or a record names. A file's name is a hash of its content,
 * so the file never changes under a worker that reads it.
 */
import { hash } from "node:crypto";
import type { Certificate } from "../model/configuration.ts";
import type { ServerPlace } from "../tokens/place.ts";

export interface RenderedFile {
  /** Below the run folder. */
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Whether nginx opens it at each request instead of at a reload. */
  readonly opened: boolean;
}

/** Returns a place that adds requested files to `files`. */
export function filesOf(root: string, files: RenderedFile[]): ServerPlace {
  return {
    file: (use, content) => {
      const folder = use === "opened" ? "data/opened" : "tls";
      const path = `${folder}/${hash("sha256", content).slice(0, 32)}`;
      if (!files.some((file) => file.path === path)) files.push({ path, content, opened: use === "opened" });
      return `${root}/${path}`;
    },
  };
}

/** Returns the two files of a key pair in `tls/`, called `name`. */
export function certificateFiles(name: string, { chain, key }: Certificate): RenderedFile[] {
  return [
    { path: `tls/${name}.crt`, content: chain, opened: false },
    { path: `tls/${name}.key`, content: key.reveal(), opened: false },
  ];
}

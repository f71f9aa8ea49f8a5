/**
 * Files beside nginx.conf: what the text or a record names as a path. A file's name is a hash of
 * its content, so it never changes under a worker that reads it.
 */
import { hash } from "node:crypto";
import type { ServerPlace } from "../directives/place.ts";
import type { Certificate } from "../model/configuration.ts";

export interface RenderedFile {
  /** Below the run folder. */
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Whether nginx opens it at each request, rather than at a reload. */
  readonly opened: boolean;
}

/** Gathers in `files` what is asked for as one. */
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

/** A pair's two files in `tls/`, called `name`. */
export function certificateFiles(name: string, { chain, key }: Certificate): RenderedFile[] {
  return [
    { path: `tls/${name}.crt`, content: chain, opened: false },
    { path: `tls/${name}.key`, content: key.reveal(), opened: false },
  ];
}

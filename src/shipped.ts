/**
 * Files that ship with the program and are read while it runs: templates, Lua, pages. Both `src/`
 * and the bundle's `dist/` lie beside them. Nothing else asks where its own file is, because in the
 * bundle that is another folder.
 */
import { join } from "node:path";

/** The path of a file or folder that is named from the repository's root. */
export const shipped = (path: string): string => join(import.meta.dirname, "..", path);

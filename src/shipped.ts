/**
 * Files that are part of the program and are read while it runs: templates, Lua, pages. Both `src/`
 * and the bundle's `dist/` lie beside them. No other code computes paths from its own folder,
 * because that folder differs in the bundle.
 */
import { join } from "node:path";

/** Returns the path of a file or folder, which is given from the repository's root. */
export const shipped = (path: string): string => join(import.meta.dirname, "..", path);

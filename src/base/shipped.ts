/**
 * Files that are part of the program and are read while it runs: templates, Lua, pages. Both `src/`
 * and the bundle's `dist/` lie beside them. No other code computes paths from its own folder,
 * because that folder differs in the bundle.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The root of the checkout or installation: the first folder upwards that has the templates. */
let root = import.meta.dirname;
while (!existsSync(join(root, "templates")) && root !== dirname(root)) root = dirname(root);

/** Returns the path of a file or folder, which is given from the repository's root. */
export const shipped = (path: string): string => join(root, path);

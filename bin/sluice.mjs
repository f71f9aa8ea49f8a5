#!/usr/bin/env node
/**
 * `npx sluice` from a checkout: starts src/main.ts with what Node compiled of it before. A tool is over in a second, of which half would
 * go into compiling. It is plain JavaScript, because a first file in TypeScript alone would load Node's compiler for it.
 *
 * The folder is the user's own, since what is in it is run. Where there is none, or it cannot be written, all is compiled anew.
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

const { HOME, XDG_CACHE_HOME = HOME && join(HOME, ".cache") } = process.env;
/** They run for long, and beside nginx's workers. */
const serves = ["run", "serve", "nginx"].includes(process.argv[2] ?? "");
if (XDG_CACHE_HOME && !serves) enableCompileCache(join(XDG_CACHE_HOME, "sluice", "compiled"));
await import("../src/main.ts");

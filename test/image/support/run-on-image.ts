/**
 * The program behind scripts/suite-on-image.mjs: SUITE PROJECT [PROJECT ...] [-- words for vitest].
 */
import type { Suite } from "../../../scripts/image/builder.ts";
import { runOnImage } from "./image-nginx.ts";

const [suite, ...rest] = process.argv.slice(2);
const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
const names = rest.slice(0, end);
const projects = names.flatMap((name) => ["--project", name.replace("-static", "")]);
const env = names.some((name) => name.endsWith("-static")) ? { PARITY_MODE: "static" } : {};
const { exitCode } = await runOnImage({
  suite: suite as Suite,
  words: [...projects, ...rest.slice(end + 1)],
  env,
  isShown: true,
});
process.exitCode = exitCode ?? 1;

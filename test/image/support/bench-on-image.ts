/**
 * The program behind `npm run bench -- --on-image NAME ...`: benchmarks on the nginx that ships.
 */
import { join } from "node:path";
import { defaultSuite } from "../../../scripts/image/builder.ts";
import { runOnImage } from "./image-nginx.ts";

const program = [process.execPath, join(import.meta.dirname, "../../bench/main.ts")];
const words = process.argv.slice(2);
const { exitCode } = await runOnImage({ suite: defaultSuite, words, program, isShown: true });
process.exitCode = exitCode ?? 1;

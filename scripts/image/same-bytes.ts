/**
 * Builds the image twice without a cache, from the same base images and packages, and compares the
 * digests. All files get one date. Prints the digest.
 */
import { builtImage } from "./unpacked.ts";

const digests: string[] = [];
for (const _ of ["one", "other"]) digests.push(await builtImage("testing", ["--no-cache", "--timestamp", "0"]));
if (digests[0] !== digests[1]) throw new Error(`Two builds differ: ${digests.join(" and ")}`);
console.log(digests[0]);

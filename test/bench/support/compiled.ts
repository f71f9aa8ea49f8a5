import { join } from "node:path";
import { execa } from "execa";
import { imageOptions } from "./image-options.ts";

const root = join(import.meta.dirname, "../../..");

/**
 * Returns Node's arguments to run the program as the image does: bundled, and with its options of
 * Node.
 */
export async function compiled(): Promise<readonly string[]> {
  await execa("npm", ["run", "build"], { cwd: root });
  return [...imageOptions(), join(root, "dist/main.js")];
}

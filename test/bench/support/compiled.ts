import { join } from "node:path";
import { execa } from "execa";
import { imageOptions, setImageEnvironment } from "./image-options.ts";

const root = join(import.meta.dirname, "../../..");

/**
 * Returns Node's arguments to run the program as the image does: bundled, with its options of Node,
 * and with its environment for what is started from here.
 */
export async function compiled(): Promise<readonly string[]> {
  setImageEnvironment();
  await execa("npm", ["run", "build"], { cwd: root });
  return [...imageOptions(), join(root, "dist/main.js")];
}

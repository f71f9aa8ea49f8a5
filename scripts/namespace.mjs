/**
 * Makes a network namespace for tests and benchmarks. It is plain JavaScript, because it is made
 * before Node 24 starts in it.
 */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Runs the command in a new namespace; namespace.sh adds the addresses. Without root, tests may
 * only mount in a mount namespace that belongs to the same user namespace.
 */
export function inNamespace(command) {
  const rootless = process.getuid?.() === 0 ? [] : ["--map-root-user", "--mount"];
  const script = `export PATH="${root}node_modules/.bin:$PATH"; exec sh "${root}scripts/namespace.sh" "$@"`;
  return ["unshare", ...rootless, "--net", "--", "sh", "-c", script, "sh", ...command];
}

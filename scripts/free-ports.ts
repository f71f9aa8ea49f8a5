/** Finds ports that no other program uses: the wanted ones, or the next free ones above them. */
import { createServer } from "node:net";

/**
 * Returns the first free port from `wanted` on. `taken` are ports that this program has assigned
 * already.
 */
export async function nextFree(wanted: number, taken: ReadonlySet<number> = new Set()): Promise<number> {
  for (let port = wanted; port <= 65_535; port += 1) if (!taken.has(port) && (await isFree(port))) return port;
  throw new Error(`no port from ${wanted} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, () => resolve(true));
  });
  await new Promise((resolve) => (free ? server.close(resolve) : resolve(undefined)));
  return free;
}

/** Finds ports that no other program uses: the wanted ones, or the next free ones above them. */
import { createServer } from "node:net";

/**
 * Returns the first free port from `wanted` on. `taken` are ports that this program has assigned
 * already.
 */
export async function nextFree(wanted: number, taken: ReadonlySet<number> = new Set()): Promise<number> {
  for (let port = wanted; port <= 65_535; port += 1)
    if (!taken.has(port) && (await refusalOf(port)) === undefined) return port;
  throw new Error(`no port from ${wanted} is free`);
}

/** Whether another program listens on the port. A port without the right to it is not busy. */
export async function isBusy(port: number): Promise<boolean> {
  return (await refusalOf(port)) === "EADDRINUSE";
}

/** Returns the error code of listening on the port, on any address; undefined if that works. */
async function refusalOf(port: number): Promise<string | undefined> {
  const server = createServer();
  const code = await new Promise<string | undefined>((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, () => resolve(undefined));
  });
  if (code === undefined) await new Promise((resolve) => server.close(resolve));
  return code;
}

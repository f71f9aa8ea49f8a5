/** Opens and closes the small servers of Sluice itself. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { ListenOptions } from "node:net";

/** Returns a function that closes the server. Rejects if it cannot listen there. */
export async function opened(server: Server | SecureServer, place: ListenOptions): Promise<() => Promise<void>> {
  server.listen(place);
  await once(server, "listening");
  return () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections());
}

/** Says for people why a server cannot listen. */
export function whyNotOpened({ code, message }: NodeJS.ErrnoException): string {
  if (code === "EADDRINUSE") return "another program is using it";
  return code === "EACCES" ? "ports this low need root" : message;
}

/**
 * What a running controller serves, for `sluice routes`: a unix socket in the run folder, read only; no key is told. nginx's workers may
 * enter that folder too, and they do what strangers ask, so each request shows the operator's token.
 */
import { readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { text } from "node:stream/consumers";
import { type OperatorToken, showing } from "../operator-token.ts";
import type { ServedRoute } from "./routes.ts";

/** Answers `GET /routes`, with `?host=NAME` those of one host; 503 while `routes` has nothing to tell. */
export async function openRouteSocket(
  path: string,
  token: Pick<OperatorToken, "refusal">,
  routes: (host: string | undefined) => readonly ServedRoute[] | undefined,
): Promise<() => Promise<void>> {
  const server = createServer((asked, response) => {
    asked.resume();
    const refusal = token.refusal(asked);
    if (refusal !== undefined) return void response.writeHead(refusal.status).end(refusal.why);
    const url = new URL(asked.url ?? "/", "http://controller");
    if (asked.method !== "GET" || url.pathname !== "/routes") return void response.writeHead(404).end();
    const found = routes(url.searchParams.get("host") ?? undefined);
    if (found === undefined) return void response.writeHead(503).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found));
  });
  // The controller that listened here has ended: its successor holds the lock of the run folder.
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

export type AskedRoutes =
  | { readonly ok: true; readonly routes: readonly ServedRoute[] }
  | { readonly ok: false; readonly why: string };

/** Where a controller is asked, and the file with its token. */
export interface RoutesPlace {
  readonly routesSocket: string;
  readonly token: string;
}

export function askRoutes(place: RoutesPlace, host: string | undefined): Promise<AskedRoutes> {
  const socketPath = place.routesSocket;
  const headers = showing(tokenIn(place.token));
  const path = `/routes${host === undefined ? "" : `?host=${encodeURIComponent(host)}`}`;
  return new Promise((resolve) => {
    const asked = request({ socketPath, path, headers, agent: false, signal: AbortSignal.timeout(10_000) });
    const failed = (why: string) => resolve({ ok: false, why });
    asked.on("error", ({ message }) => failed(`no controller answers at ${socketPath}: ${message}`));
    asked.on("response", (response) => {
      if (response.statusCode === 401) return failed(`the controller does not take the token in ${place.token}`);
      if (response.statusCode !== 200) return failed("the controller has not applied anything yet");
      text(response).then(
        (body) => resolve({ ok: true, routes: JSON.parse(body) }),
        ({ message }) => failed(`the controller's answer broke off: ${message}`),
      );
    });
    asked.end();
  });
}

/** Empty where there is none, or where it is another account's. */
function tokenIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

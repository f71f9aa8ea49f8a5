/**
 * Takes the controller's orders for the nginx of this container. There is no order to stop: the
 * kubelet stops each container by itself, and a restarted controller must find nginx serving.
 */
import { chmodSync, lstatSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { callback } from "../base/callbacks.ts";
import { opened } from "../base/own-servers.ts";
import type { Nginx } from "./nginx.ts";
import { type NginxState, readRendered, writeOutcome } from "./orders.ts";
import { isPass } from "./pass.ts";

export type KnownBefore = Pick<NginxState, "capabilities" | "place">;

export type OpenedOrders =
  | { readonly ok: true; readonly close: () => Promise<void> }
  | { readonly ok: false; readonly why: string };

export interface OrdersOptions {
  readonly nginx: Nginx;
  readonly known: KnownBefore;
  /** The file with which the controller's password is checked. */
  readonly pass: string;
  /** Called before each answer to the controller, which waits for it. */
  readonly onOrder: () => Promise<void>;
}

/** Listens at `socket`, which `socketMistake` has accepted. */
export async function openOrders(socket: string, options: OrdersOptions): Promise<OpenedOrders> {
  const server = createServer(
    callback("an answer to an order", (request: IncomingMessage, response: ServerResponse) =>
      answer(request, response, options).catch((error: Error) => response.writeHead(500).end(error.message)),
    ),
  );
  server.requestTimeout = 0;
  // An earlier process left it: this one holds the run folder's lock, so no process listens there.
  rmSync(socket, { force: true });
  try {
    const close = await opened(server, { path: socket });
    chmodSync(socket, 0o600);
    return { ok: true, close };
  } catch (error) {
    return { ok: false, why: `The socket ${socket} cannot be opened: ${(error as Error).message}.` };
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { nginx, known, pass, onOrder }: OrdersOptions,
): Promise<void> {
  if (!(await isPass(request.headers.authorization, pass))) {
    request.resume();
    return void response.writeHead(401, { connection: "close" }).end();
  }
  await onOrder();
  // A controller that disconnects or dies does not wait for the outcome.
  const gone = new AbortController();
  response.once(
    "close",
    callback("the end of an order", () => response.writableFinished || gone.abort()),
  );
  switch (`${request.method} ${request.url}`) {
    case "GET /state":
      response.end(JSON.stringify(stateOf(nginx, known)));
      break;
    case "POST /apply":
      response.end(writeOutcome(await nginx.apply(readRendered(await text(request)), gone.signal)));
      break;
    case "POST /test":
      response.end(writeOutcome(await nginx.test(await text(request), gone.signal)));
      break;
    default:
      response.writeHead(404).end();
  }
}

function stateOf(nginx: Nginx, known: KnownBefore): NginxState {
  const { pid = null, restarts } = nginx;
  return { ...known, pid, restarts, generations: nginx.generations(), processes: nginx.processes() };
}

/**
 * Returns why it is not safe to listen on `socket`. Its folder must belong to this account and be
 * closed to all others, because it protects the socket between its creation and the change of its
 * mode.
 */
export function socketMistake(socket: string): string | undefined {
  const folder = dirname(socket);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.uid === process.getuid?.() && ((found?.mode ?? 0) & 0o077) === 0) {
    const there = lstatSync(socket, { throwIfNoEntry: false });
    return there === undefined || there.isSocket() ? undefined : `${socket} exists and is not a socket.`;
  }
  return `The folder ${folder} must belong to this account and be closed to all others (mode 0700), or others could give nginx orders.`;
}

/**
 * The controller's own small HTTP server: health, metrics, build. kubelet and Prometheus use it
 * without TLS, so it shows nothing secret. A request that changes anything (`/stop`) is only
 * accepted from this machine, with the operator's token.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { callback } from "../../base/callbacks.ts";
import { keepFew, patience } from "../../base/few-connections.ts";
import { oneAtATime } from "../../base/one-at-a-time.ts";
import { opened, whyNotOpened } from "../../base/own-servers.ts";
import { isLoopback } from "../../core/kinds/addresses.ts";
import { urlOf } from "../local-request.ts";
import type { OperatorToken } from "../operator-token.ts";
import type { Health } from "./health.ts";
import { type MetricsText, Scrapes } from "./scrapes.ts";

export interface HealthServerOptions {
  readonly port: number;
  /** If it is undefined, the server listens on all addresses. */
  readonly host: string | undefined;
  readonly healthPath: string;
  readonly health: Health;
  readonly metrics: () => Promise<MetricsText>;
  readonly build: Readonly<Record<string, string>>;
  readonly token: Pick<OperatorToken, "refusal">;
  /** Answers requests below `/ui`. If it is absent, they get 404. */
  readonly page?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Called for `POST /stop`. */
  readonly stop: () => void;
}

export type OpenedServer =
  | { readonly ok: true; readonly close: () => Promise<void> }
  | { readonly ok: false; readonly why: string };

export async function openHealthServer(options: HealthServerOptions): Promise<OpenedServer> {
  const scrapes = new Scrapes(options.metrics);
  const listener = oneAtATime((request, response) => {
    answer(options, scrapes, request, response).catch((error) => response.destroy(error));
  });
  const server = createServer(patience, callback("an answer about health", listener));
  keepFew(server);
  const { port, host } = options;
  try {
    return { ok: true, close: await opened(server, host === undefined ? { port } : { port, host }) };
  } catch (error) {
    const place = `${host === undefined ? "" : `${host}, `}port ${port} (--healthz-port)`;
    const why = whyNotOpened(error as NodeJS.ErrnoException);
    return { ok: false, why: `The health server cannot listen on ${place}: ${why}.` };
  }
}

async function answer(
  options: HealthServerOptions,
  scrapes: Scrapes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  const url = urlOf(request);
  const { pathname } = url;
  const { healthPath } = options;
  if (pathname === healthPath || pathname.startsWith(`${healthPath}/`)) return health(options, url, response);
  if (pathname === "/livez") {
    const { status, body } = await options.health.alive();
    return send(response, status, body);
  }
  if (pathname === "/metrics") {
    const scrape = await scrapes.for(response);
    if (scrape === undefined) return send(response, 503, "too many scrapes at once\n");
    if (!takesGzip(request)) return send(response, 200, scrape.plain, scrape.contentType);
    response.setHeader("content-encoding", "gzip");
    return send(response, 200, await scrape.zipped(), scrape.contentType);
  }
  if (options.page !== undefined && /^\/ui(\/|$)/.test(pathname)) return options.page(request, response);
  if (pathname === "/build") return send(response, 200, `${JSON.stringify(options.build)}\n`, "application/json");
  if (pathname !== "/stop") return send(response, 404, "404 page not found\n");
  if (!isLoopback(request.socket.remoteAddress ?? "")) return send(response, 403, "only from this machine\n");
  if (request.method !== "POST") return send(response, 405, "POST asks the controller to end\n");
  const refusal = options.token.refusal(request);
  if (refusal !== undefined) return send(response, refusal.status, refusal.why);
  send(response, 202, "ending\n");
  options.stop();
}

async function health({ health, healthPath }: HealthServerOptions, url: URL, response: ServerResponse): Promise<void> {
  const only = url.pathname.slice(healthPath.length + 1) || undefined;
  const exclude = new Set(url.searchParams.getAll("exclude"));
  const found = await health.answer(only, exclude, url.searchParams.has("verbose"));
  if (found === undefined) send(response, 404, "404 page not found\n");
  else send(response, found.status, found.body);
}

function takesGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(headers["accept-encoding"] ?? ""));
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  type = "text/plain; charset=utf-8",
): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}

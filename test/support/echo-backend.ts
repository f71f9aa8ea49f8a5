/**
 * Backends that return the request that they received: one HTTP and one HTTPS server on each
 * address, controlled by query parameters of the request. The expectations of the corpus were
 * recorded with the same rules, so parameters may be added, but not changed.
 *
 *   echo-status=N         the status
 *   echo-body=TEXT        the body, instead of what was seen
 *   echo-header=NAME:V    a header, repeatable
 *   echo-type=TYPE        the content type
 *   echo-delay=MS         wait before the answer
 *   echo-connection       adds which request of its connection this was
 *   echo-fail=ADDR:N      status N, on one address only
 *   echo-seen=A,B         answers X-Seen with these request headers (also `method`, `url`)
 *   echo-record=KEY       keep what was seen
 *   echo-recall=KEY       answer with what was last kept under KEY
 *   echo-need-cookie=NAME 401 and none of the echo-headers unless the request carries this cookie:
 *                         acts as a login service
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { TLSSocket } from "node:tls";

export interface Seen {
  readonly backend: string;
  readonly scheme: "http" | "https";
  readonly method: string;
  /** Path and query, unchanged. */
  readonly url: string;
  readonly httpVersion: string;
  /** Names in lower case; repeated headers joined with ` | `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text, or its length and the start of its digest when it is longer than 200 bytes. */
  readonly body: string;
  readonly nthOfConnection?: number;
  readonly tls?: { readonly servername: string; readonly client: string };
}

export interface EchoBackendOptions {
  readonly addresses: readonly string[];
  /** PEM of what port 8443 serves. */
  readonly certificate: string;
  readonly key: string;
  readonly httpPort?: number;
  readonly httpsPort?: number;
}

export interface EchoBackends {
  /** Closes the servers and every open connection. */
  readonly stop: () => Promise<void>;
}

/**
 * The address on which the header `X-Code` of the request is the status of the answer, as in a
 * custom-error service.
 */
const errorsAddress = "192.0.2.30";
/**
 * Longer than any keepalive of the proxy in front, so that the backend is never the one that closes
 * a connection.
 */
const keepAliveTimeoutMs = 65_000;

/** Rejects when an address or port cannot be bound. */
export async function startEchoBackends(options: EchoBackendOptions): Promise<EchoBackends> {
  const { addresses, certificate, key, httpPort = 8080, httpsPort = 8443 } = options;
  const records = new Map<string, Seen>();
  const tls = { cert: certificate, key, requestCert: true, rejectUnauthorized: false };
  const listening = addresses.flatMap((address) => [
    listen(createServer(echo(address, "http", records)), address, httpPort),
    listen(createSecureServer(tls, echo(address, "https", records)), address, httpsPort),
  ]);
  const servers = await Promise.all(listening);
  return { stop: () => Promise.all(servers.map(close)).then(() => undefined) };
}

async function listen<S extends Server>(server: S, address: string, port: number): Promise<S> {
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.on("upgrade", (request: IncomingMessage, socket: Socket) => upgrade(address, request, socket));
  server.listen(port, address);
  await once(server, "listening");
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}

function echo(address: string, scheme: Seen["scheme"], records: Map<string, Seen>) {
  const requestsOf = new WeakMap<Socket, number>();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const nth = (requestsOf.get(request.socket) ?? 0) + 1;
    requestsOf.set(request.socket, nth);
    const body = await bodyOf(request);
    if (body === undefined) return;
    const query = queryOf(request);
    if (query.get("echo-delay")) await delay(Number(query.get("echo-delay")));
    const refused = lacksCookie(request, query.get("echo-need-cookie"));
    response.statusCode = refused ? 401 : statusOf(address, request, query);
    response.setHeader("content-type", query.get("echo-type") ?? "application/json");
    if (!refused) for (const line of query.getAll("echo-header")) response.appendHeader(...nameAndValue(line));
    const asked = query.get("echo-seen");
    if (asked !== null) response.setHeader("x-seen", seenHeaders(request, asked.split(",")));
    const seen: Seen = {
      backend: address,
      scheme,
      method: request.method ?? "",
      url: request.url ?? "",
      httpVersion: request.httpVersion,
      headers: headersOf(request.rawHeaders),
      body: body.length > 200 ? `${body.length} bytes, sha256 ${sha256(body).slice(0, 12)}` : body.toString(),
      ...(query.has("echo-connection") ? { nthOfConnection: nth } : {}),
      ...(request.socket instanceof TLSSocket ? { tls: tlsOf(request.socket) } : {}),
    };
    const recordAs = query.get("echo-record");
    if (recordAs !== null) records.set(recordAs, seen);
    const recalled = query.get("echo-recall");
    if (recalled !== null) response.end(JSON.stringify(records.get(recalled) ?? "nothing recorded"));
    else response.end(query.get("echo-body") ?? JSON.stringify(seen));
  };
}

/**
 * Accepts a websocket handshake and closes the connection. The received request is returned in
 * `X-Echo`, as base64 of the JSON.
 */
function upgrade(backend: string, request: IncomingMessage, socket: Socket): void {
  const seen = JSON.stringify({ backend, url: request.url, headers: headersOf(request.rawHeaders) });
  const lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  socket.end(`${[...lines, `X-Echo: ${Buffer.from(seen).toString("base64")}`].join("\r\n")}\r\n\r\n`);
}

function statusOf(address: string, request: IncomingMessage, query: URLSearchParams): number {
  const [failing, failure] = (query.get("echo-fail") ?? "").split(":");
  if (failing === address) return Number(failure);
  const code = request.headers["x-code"];
  if (address === errorsAddress && code !== undefined) return Number(code);
  return Number(query.get("echo-status") || 200);
}

function lacksCookie(request: IncomingMessage, name: string | null): boolean {
  return Boolean(name) && !`; ${request.headers.cookie ?? ""}`.includes(`; ${name}=`);
}

function seenHeaders(request: IncomingMessage, names: readonly string[]): string {
  const special: Readonly<Record<string, string | undefined>> = { method: request.method, url: request.url };
  return names.map((name) => `${name}=${request.headers[name] ?? special[name] ?? ""}`).join("; ");
}

function tlsOf(socket: TLSSocket): NonNullable<Seen["tls"]> {
  const client = socket.getPeerCertificate()?.subject?.CN ?? "";
  return { servername: socket.servername || "", client: String(client) };
}

/**
 * Reads the body. Undefined if the other side closed before the body was complete; then there is no
 * client to answer.
 */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  try {
    return Buffer.concat(await request.toArray());
  } catch {
    return undefined;
  }
}

/**
 * This does not use `new URL`, because a request target need not be a valid URL, and must not be
 * changed into one.
 */
function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams((request.url ?? "").replace(/^[^?]*\??/, "").replace(/#.*/, ""));
}

function nameAndValue(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1)];
}

function headersOf(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]} | ${raw[i + 1]}` : raw[i + 1]!;
  }
  return headers;
}

function sha256(body: Buffer): string {
  return createHash("sha256").update(body).digest("hex");
}

/**
 * Sends requests with full control: the address to connect to is independent of Host, server name
 * and headers. Redirects are not followed, bodies are not decoded, and nothing is retried.
 */
import { Agent, request as httpRequest, type OutgoingHttpHeaders } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";

export interface RequestOptions {
  /** `127.0.0.2:8080`. */
  readonly to: string;
  /** The client's own address. */
  readonly from?: string;
  readonly path?: string;
  readonly method?: string;
  readonly host?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  /**
   * Uses TLS with this server name; an empty text means TLS without a server name. Any certificate
   * is accepted, and the answer names it.
   */
  readonly sni?: string;
  /** Reuses connections: made by `keepalive()` or `keepaliveTls()`. */
  readonly agent?: Agent | SecureAgent;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  /** Common name of the server's certificate, if there was TLS. */
  readonly certificate?: string;
}

/** Rejects when the connection fails or breaks before the whole answer is there. */
export function request(options: RequestOptions): Promise<Answer> {
  const { to, from, path = "/", method = "GET", host, headers = {}, body, sni, agent = false } = options;
  const address = { ...addressOf(to), ...(from === undefined ? {} : { localAddress: from }) };
  const common = { ...address, path, method, agent, headers: { ...headers, ...(host === undefined ? {} : { host }) } };
  return new Promise((resolve, reject) => {
    const asked =
      sni === undefined ? httpRequest(common) : httpsRequest({ ...common, servername: sni, rejectUnauthorized: false });
    asked.on("error", reject).on("response", (response) => {
      const certificate = commonName(response.socket as TLSSocket);
      text(response).then(
        (content) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content, ...certificate }),
        reject,
      );
    });
    asked.end(body);
  });
}

/**
 * Returns an agent that keeps connections between requests; `destroy` it at the end of the test.
 */
export const keepalive = (): Agent => new Agent({ keepAlive: true });
export const keepaliveTls = (): SecureAgent => new SecureAgent({ keepAlive: true });

/** Sends one request over HTTP/2, on a connection of its own; without TLS if `sni` is absent. */
export function requestHttp2(options: Omit<RequestOptions, "agent">): Promise<Answer> {
  const { to, path = "/", method = "GET", host, headers = {}, body, sni } = options;
  const origin = sni === undefined ? `http://${to}` : `https://${to}`;
  const session = connectHttp2(origin, {
    rejectUnauthorized: false,
    ...(sni === undefined ? {} : { servername: sni }),
  });
  return new Promise<Answer>((resolve, reject) => {
    session.on("error", reject);
    const pseudo = { ":path": path, ":method": method, ":authority": host ?? to };
    // Without the option, Node sends no body with GET, HEAD and DELETE.
    const stream = session.request({ ...headers, ...pseudo }, body === undefined ? {} : { endStream: false });
    stream.on("error", reject).on("response", ({ ":status": status = 0, ...rest }) => {
      text(stream).then((content) => resolve({ status, headers: rest, body: content }), reject);
    });
    stream.end(body);
  }).finally(() => session.close());
}

/** Sends these bytes and returns everything until the other side closes. */
export async function raw(to: string, bytes: string): Promise<string> {
  const socket = connect(addressOf(to));
  socket.write(bytes);
  return text(socket);
}

function addressOf(to: string): { readonly host: string; readonly port: number } {
  const colon = to.lastIndexOf(":");
  return { host: to.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(to.slice(colon + 1)) };
}

function commonName(socket: TLSSocket): { readonly certificate?: string } {
  const name = socket.getPeerCertificate?.()?.subject?.CN;
  return name === undefined ? {} : { certificate: String(name) };
}

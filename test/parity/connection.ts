/**
 * Opens a connection for a case: between given addresses, with or without a PROXY line, and with
 * its own TLS handshake. The data of the handshake is part of the answer, so it is kept even when
 * the request fails.
 */
import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import type { Pki } from "../support/pki.ts";
import type { Answer } from "./answer.ts";
import type { RequestSpec, TlsSpec } from "./request-spec.ts";
import { Unanswered } from "./unanswered.ts";

export const ingressAddress = "192.0.2.1";
export const clientAddress = "192.0.2.100";

export interface Connection {
  readonly socket: Socket;
  readonly shown: Pick<Answer, "certificate" | "protocol" | "cipher" | "alpn" | "ticket" | "resumed">;
}

const versions = { TLSv1_2: "TLSv1.2", TLSv1_3: "TLSv1.3" } as const;
/**
 * These are added to the ciphers of a case, which are those of TLS 1.2: Node reads a list without
 * TLS 1.3 ciphers as "no TLS 1.3".
 */
const tls13Ciphers = "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256";

/** Opens the connection; throws `Unanswered` when that fails. */
export async function connect(spec: RequestSpec, pki: Pki): Promise<Connection> {
  if (spec.scheme !== "https") return { socket: await tcp(spec), shown: {} };
  const options = optionsOf(spec, pki);
  const first = await tls(spec, options);
  const certificate = subjectOf(first);
  if (!spec.tls?.resume) return { socket: first, shown: { certificate, ...shown(first, spec.tls) } };
  const session = first.getSession();
  const ticket = first.getTLSTicket() !== undefined;
  // The connection is closed from both sides. Then the server has completed its part of the
  // handshake, such as storing the session for its other workers.
  first.end().resume();
  await reached(first, "close", spec.timeout ?? 10);
  await delay(1000 * (spec.tls.resumeAfter ?? 0));
  const second = await tls(spec, { ...options, ...(session ? { session } : {}) });
  const resumed = second.isSessionReused();
  // A resumed session has no certificate of its own; the certificate of the first handshake holds
  // for it.
  const stated = { ticket, resumed, certificate: resumed ? certificate : subjectOf(second) };
  return { socket: second, shown: { ...stated, ...shown(second, spec.tls) } };
}

async function tcp({ scheme, to, from, port, proxyLine, timeout = 10 }: RequestSpec): Promise<Socket> {
  const socket = connectTcp({
    host: to ?? ingressAddress,
    port: port ?? (scheme === "https" ? 443 : 80),
    localAddress: from ?? clientAddress,
    noDelay: true,
  });
  await reached(socket, "connect", timeout);
  if (proxyLine !== undefined) socket.write(`${proxyLine}\r\n`);
  return socket;
}

async function tls(spec: RequestSpec, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connectTls({ ...options, socket: await tcp(spec) });
  await reached(socket, "secureConnect", spec.timeout ?? 10);
  return socket;
}

async function reached(socket: Socket, event: "connect" | "secureConnect" | "close", timeoutS: number): Promise<void> {
  try {
    await once(socket, event, { signal: AbortSignal.timeout(1000 * timeoutS) });
  } catch (error) {
    socket.on("error", () => {}).destroy();
    if (error instanceof Error && error.name === "AbortError") throw new Unanswered("error", "TimeoutError");
    throw Unanswered.from(error);
  }
}

function optionsOf({ host, tls = {} }: RequestSpec, pki: Pki): ConnectionOptions {
  const servername = tls.sni === undefined ? host : (tls.sni ?? undefined);
  const version = tls.version && versions[tls.version];
  const client = tls.client && pki[tls.client];
  return {
    rejectUnauthorized: false,
    ...(servername && !isIP(servername) ? { servername } : {}),
    ...(client ? { cert: client.certificate, key: client.key } : {}),
    ...(version ? { minVersion: version, maxVersion: version } : {}),
    ...(tls.ciphers ? { ciphers: `${tls13Ciphers}:${tls.ciphers}` } : {}),
    ...(tls.curve ? { ecdhCurve: tls.curve } : {}),
    ...(tls.alpn ? { ALPNProtocols: [...tls.alpn] } : {}),
  };
}

function shown(socket: TLSSocket, spec: TlsSpec = {}): Connection["shown"] {
  const handshake = { protocol: socket.getProtocol() ?? "", cipher: socket.getCipher().name };
  return {
    ...(spec.ciphers || spec.show ? handshake : {}),
    ...(spec.alpn ? { alpn: socket.alpnProtocol || null } : {}),
  };
}

/**
 * Returns the subject of the server's certificate in the form of RFC 2253, with the most specific
 * part first.
 */
function subjectOf(socket: TLSSocket): string {
  return (socket.getPeerX509Certificate()?.subject ?? "").split("\n").reverse().join(",");
}

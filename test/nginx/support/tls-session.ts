/** TLS sessions that a client keeps, and connections that resume them. */
import { connect, type TLSSocket } from "node:tls";
import type { KeyPair } from "../../support/pki.ts";

export interface Handshake {
  /** Address and port of nginx. */
  readonly to: string;
  /** The name in the handshake and the host of the request. */
  readonly host: string;
  readonly version: "TLSv1.2" | "TLSv1.3";
  readonly pair?: KeyPair | undefined;
}

/** Returns the last session that nginx gives to a client with this certificate, if any. */
export function sessionOf(handshake: Handshake): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = open(handshake);
    let last: Buffer | undefined;
    socket.on("session", (session) => {
      last = session;
    });
    socket.on("error", () => {}).on("close", () => resolve(last));
    socket.resume().write(`GET / HTTP/1.1\r\nHost: ${handshake.host}\r\nConnection: close\r\n\r\n`);
  });
}

/**
 * Returns the answer to a request of a client that offers the session, if any. The text is empty
 * if nginx refuses the connection.
 */
export function offered(
  handshake: Handshake,
  session: Buffer | undefined,
): Promise<{ text: string; isResumed: boolean }> {
  return new Promise((resolve) => {
    const socket = open(handshake, session);
    let text = "";
    let isResumed = false;
    const end = () => resolve({ text, isResumed });
    socket.once("secureConnect", () => {
      isResumed = socket.isSessionReused();
    });
    socket.setEncoding("latin1").on("data", (data) => {
      text += data;
    });
    socket.on("error", end).on("close", end);
    socket.write(`GET / HTTP/1.1\r\nHost: ${handshake.host}\r\nConnection: close\r\n\r\n`);
  });
}

function open({ to, host, version, pair }: Handshake, session?: Buffer): TLSSocket {
  const [address = "", port] = to.split(":");
  return connect({
    host: address,
    port: Number(port),
    servername: host,
    minVersion: version,
    maxVersion: version,
    rejectUnauthorized: false,
    ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
    ...(session === undefined ? {} : { session }),
  });
}

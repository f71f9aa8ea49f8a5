/**
 * Makes a server of nginx itself behind a socket, for work that a location cannot do. nginx sends
 * requests to it as to any backend. The name of the socket is a hash, which no other program can
 * guess.
 */
import { Token, type View } from "../../tokens/token.ts";
import type { InternalNames } from "../conf/internal-names.ts";

export interface BehindSocket {
  /** The upstream block that leads to it. */
  readonly block: Token;
  readonly socket: Token;
  /** The upstream block and the server behind its socket. */
  readonly text: Token;
}

/**
 * `write` returns the server's directives. Its view has the name of the upstream block as `self`.
 */
export function behindSocket(
  write: (view: { readonly self: View }) => Token,
  sockets: string,
  names: InternalNames,
): BehindSocket {
  const id = names.of(`${write({ self: Token.name("self") })}\0`);
  const block = Token.name(`sluice_socket_${id}`);
  const socket = Token.word(`unix:${sockets}/a-${id}.sock`);
  const text = Token.conf`upstream ${block} { server ${socket}; }
server {
listen ${socket};
${write({ self: block })}
}`;
  return { block, socket, text };
}

/**
 * As much of a PostgreSQL server as `psql` needs for `select 1`: no TLS, no password, and one row
 * for each query (the protocol's version 3.0).
 */
import { createServer, type Server, type Socket } from "node:net";

const sslRequest = 80_877_103;

export function postgresOn(port: number, host: string): Server {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    let isOpen = false;
    socket
      .on("error", () => {})
      .on("data", (data) => {
        received = Buffer.concat([received, data]);
        for (;;) {
          const head = isOpen ? 1 : 0;
          if (received.length < head + 4) return;
          const end = head + received.readUInt32BE(head);
          if (received.length < end) return;
          const message = received.subarray(0, end);
          received = received.subarray(end);
          if (!isOpen) isOpen = opened(socket, message.readUInt32BE(4));
          else if (message[0] === code("Q")) socket.write(row("1"));
          else if (message[0] === code("X")) socket.end();
        }
      });
  });
  return server.listen(port, host);
}

/** Answers the first message of a client, or the second one if the first requests TLS. */
function opened(socket: Socket, version: number): boolean {
  if (version === sslRequest) {
    socket.write("N");
    return false;
  }
  const accepted = messageOf("R", Buffer.alloc(4));
  socket.write(Buffer.concat([accepted, messageOf("S", Buffer.from("server_version\0" + "15.0\0")), ready]));
  return true;
}

function row(value: string): Buffer {
  const column = Buffer.concat([Buffer.from("\0\x01?column?\0"), Buffer.alloc(18)]);
  // The type of the column is text, and its size varies.
  column.writeUInt32BE(25, column.length - 12);
  column.writeInt16BE(-1, column.length - 8);
  const data = Buffer.concat([Buffer.from([0, 1, 0, 0, 0, value.length]), Buffer.from(value)]);
  const all = [messageOf("T", column), messageOf("D", data), messageOf("C", Buffer.from("SELECT 1\0")), ready];
  return Buffer.concat(all);
}

const code = (letter: string): number => letter.charCodeAt(0);

function messageOf(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(code(letter));
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** It waits for the next query, outside of a transaction. */
const ready = messageOf("Z", Buffer.from("I"));

/** Sends requests over HTTP/2 whose headers no client library would send. */
import { connect } from "node:tls";
import { ports } from "./world.ts";

type Headers = readonly (readonly [name: string, value: string])[];

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, "latin1")]);

/** Returns one frame HEADERS, which ends the request. No name and no value may have 127 bytes. */
function request(stream: number, headers: Headers): Buffer {
  const payload = Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0x10]), text(name), text(value)]));
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.set([1, 5], 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export const get = (host: string, more: Headers = []): Headers => [
  ...[
    [":method", "GET"] as const,
    [":scheme", "https"] as const,
    [":authority", host] as const,
    [":path", "/"] as const,
  ],
  ...more,
];

/** Sends the requests in one connection, and returns all bytes until `enough` holds for them. */
export function overHttp2(requests: readonly Headers[], enough: (bytes: string) => boolean): Promise<string> {
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  return new Promise((resolve, reject) => {
    const options = { host: "192.0.2.1", port: ports.https, ALPNProtocols: ["h2"], rejectUnauthorized: false };
    const socket = connect({ ...options, servername: "neighbour.example" });
    let bytes = "";
    socket
      .setEncoding("latin1")
      .on("error", reject)
      .on("close", () => resolve(bytes));
    socket.on("data", (data) => {
      bytes += data;
      if (enough(bytes)) socket.destroy();
    });
    const frames = requests.map((headers, at) => request(2 * at + 1, headers));
    socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings, ...frames]));
  });
}

/** A UDP client. Datagrams may get lost, so it sends its datagram again each second. */
import { createSocket } from "node:dgram";

/** Resolves with the first answer to `text`. */
export async function datagramAnswer(text: string, port: number, host: string): Promise<string> {
  const client = createSocket(host.includes(":") ? "udp6" : "udp4");
  const ask = () => client.send(text, port, host);
  const again = setInterval(ask, 1_000);
  try {
    return await new Promise((resolve) => {
      client.once("message", (message) => resolve(String(message)));
      ask();
    });
  } finally {
    clearInterval(again);
    client.close();
  }
}

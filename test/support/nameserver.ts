/** A nameserver that answers from a table, which a test may change at any time. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { answerOf, readQuestion } from "../../src/edges/names/dns-message.ts";

export interface Nameserver {
  /** IPv4 addresses by name; a name that is not in the map has none. */
  readonly addresses: Map<string, readonly string[]>;
  /** Names that are aliases of another name, which has no address. */
  readonly aliases: Set<string>;
  /** The requested names, in their order, with repetitions. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export async function startNameserver(address: string, port = 53): Promise<Nameserver> {
  const addresses = new Map<string, readonly string[]>();
  const aliases = new Set<string>();
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (message, from) => {
    const question = readQuestion(message);
    if (question === undefined) return;
    asked.push(question.name);
    const found = question.type === "A" ? (addresses.get(question.name.toLowerCase()) ?? []) : [];
    const answer = answerOf(question, { kind: "addresses", addresses: found, ttlSeconds: 1 });
    const isAlias = aliases.has(question.name.toLowerCase());
    if (isAlias) answer.writeUInt16BE(found.length + 1, 6);
    const alias = isAlias ? Buffer.from("c00c00050001000000050003016200", "hex") : Buffer.alloc(0);
    socket.send(Buffer.concat([answer, alias]), from.port, from.address);
  });
  socket.bind(port, address);
  await once(socket, "listening");
  return {
    addresses,
    aliases,
    asked,
    stop: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}

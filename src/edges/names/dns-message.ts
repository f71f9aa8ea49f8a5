/**
 * DNS messages as far as nginx's resolver needs them: one question for the addresses of a name or
 * for the servers of a service, and its answer (RFC 1035, RFC 2782).
 */
import { bytesOfAddress } from "../../core/model/ip-address.ts";

export interface Question {
  readonly name: string;
  readonly type: keyof typeof types;
  /** The bytes of the question, which are sent back with the answer. */
  readonly asked: Buffer;
}

export interface ServiceServer {
  /** The name whose addresses are the server's. */
  readonly target: string;
  readonly port: number;
  /** From 1 to 65535. */
  readonly weight: number;
}

/**
 * The answer to a question: addresses of the requested type, servers, or that there is no answer.
 */
export type Answer =
  | { readonly kind: "addresses"; readonly addresses: readonly string[]; readonly ttlSeconds: number }
  | { readonly kind: "servers"; readonly servers: readonly ServiceServer[]; readonly ttlSeconds: number }
  | { readonly kind: "failed" }
  | { readonly kind: "refused" };

const headBytes = 12;
const types = { A: 1, AAAA: 28, SRV: 33 } as const;
const codes = { addresses: 0, servers: 0, failed: 2, refused: 5 } as const;

/** Returns undefined if the message is not a question of such a type for one name. */
export function readQuestion(message: Buffer): Question | undefined {
  const isQuery = message.length > headBytes && (message[2]! & 0xf8) === 0 && message.readUInt16BE(4) === 1;
  if (!isQuery) return undefined;
  const labels: string[] = [];
  let at = headBytes;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    if (length > 63 || at + 1 + length >= message.length) return undefined;
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  if (end > message.length || message.readUInt16BE(at + 3) !== 1) return undefined;
  const number = message.readUInt16BE(at + 1);
  const type = (["A", "AAAA", "SRV"] as const).find((one) => types[one] === number);
  return type && { name: labels.join("."), type, asked: message.subarray(0, end) };
}

export function answerOf({ asked, type }: Question, answer: Answer): Buffer {
  const records = dataOf(answer);
  const ttl = "ttlSeconds" in answer ? answer.ttlSeconds : 0;
  const head = Buffer.from(asked);
  head.writeUInt16BE(0x8180 | codes[answer.kind], 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records.map((data) => recordOf(data, types[type], ttl))]);
}

function dataOf(answer: Answer): readonly Buffer[] {
  if (answer.kind === "addresses") {
    return answer.addresses.map((one) => Buffer.from(bytesOfAddress(one)!));
  }
  return answer.kind === "servers" ? answer.servers.map(bytesOfServer) : [];
}

function recordOf(data: Buffer, type: number, ttl: number): Buffer {
  const head = Buffer.alloc(12);
  // A pointer to the name in the question, which begins after the head.
  head.writeUInt16BE(0xc000 | headBytes, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function bytesOfServer({ target, port, weight }: ServiceServer): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(weight, 2);
  head.writeUInt16BE(port, 4);
  const labels = target
    .split(".")
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, "latin1"));
  return Buffer.concat([head, ...labels, Buffer.alloc(1)]);
}

/** DNS messages as far as nginx's resolver needs them: one question for the addresses of a name, and its answer (RFC 1035). */

export interface AddressQuestion {
  readonly name: string;
  readonly family: 4 | 6;
  /** The bytes of the question, to be sent back with the answer. */
  readonly asked: Buffer;
}

/** The answer to a question: addresses of the family that was asked for, or that there is no answer. */
export type AddressAnswer =
  | { readonly kind: "addresses"; readonly addresses: readonly string[]; readonly ttlSeconds: number }
  | { readonly kind: "failed" }
  | { readonly kind: "refused" };

const [headBytes, mostAddresses] = [12, 64];
const types = { 4: 1, 6: 28 } as const;
const codes = { addresses: 0, failed: 2, refused: 5 } as const;

/** Undefined where the message is no question for addresses of one name. */
export function readQuestion(message: Buffer): AddressQuestion | undefined {
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
  const type = message.readUInt16BE(at + 1);
  const family = type === types[4] ? 4 : type === types[6] ? 6 : undefined;
  return family && { name: labels.join("."), family, asked: message.subarray(0, end) };
}

export function answerOf({ asked, family }: AddressQuestion, answer: AddressAnswer): Buffer {
  const addresses = answer.kind === "addresses" ? answer.addresses.slice(0, mostAddresses) : [];
  const ttl = answer.kind === "addresses" ? answer.ttlSeconds : 0;
  const head = Buffer.from(asked);
  head.writeUInt16BE(0x8180 | codes[answer.kind], 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...addresses.map((address) => recordOf(address, family, ttl))]);
}

function recordOf(address: string, family: 4 | 6, ttl: number): Buffer {
  const data = family === 4 ? Buffer.from(address.split(".").map(Number)) : bytesOfIPv6(address);
  const head = Buffer.alloc(12);
  // The name is the one of the question, which begins after the head.
  head.writeUInt16BE(0xc000 | headBytes, 0);
  head.writeUInt16BE(types[family], 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function bytesOfIPv6(address: string): Buffer {
  const [before = [], after = []] = new URL(`http://[${address}]/`).hostname
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = [...before, ...zeros, ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex");
}

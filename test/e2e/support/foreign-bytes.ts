/** Bytes that no API server sends in a watch of this form. */
import type { Chance } from "../../support/chance.ts";

const frame = (length: number, content: Buffer) => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length);
  return Buffer.concat([head, content]);
};
const json = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);

export type ForeignBytes = readonly [what: string, form: "JSON" | "protobuf", bytes: Buffer];

export function foreignBytes(chance: Chance): readonly ForeignBytes[] {
  const noise = Buffer.from(Array.from({ length: 300 }, () => chance.below(256)));
  const wait = { details: { retryAfterSeconds: 3600 } };
  return [
    ["an error without a reason", "JSON", json({ type: "ERROR", object: { hello: 1 } })],
    ["an error that asks to wait for an hour", "JSON", json({ type: "ERROR", object: wait })],
    ["an error that says not found", "JSON", json({ type: "ERROR", object: { kind: "Status", code: 404 } })],
    ["a frame of protobuf", "JSON", frame(12, Buffer.from("\n\u0005ADDED\u0012\u0003abc"))],
    ["random bytes", "JSON", noise],
    ["half an event", "JSON", Buffer.from('{"type":"MODIFIED","object":{')],
    ["a line of JSON", "protobuf", json({ type: "ADDED", object: {} })],
    ["a frame of two gigabytes", "protobuf", frame(2 ** 31, Buffer.from("\n\u0005ADDED"))],
    ["a frame of random bytes", "protobuf", frame(noise.length, Buffer.concat([Buffer.of(0), noise]))],
    ["half a frame", "protobuf", frame(500, Buffer.from("\n\u0005ADDED"))],
  ];
}

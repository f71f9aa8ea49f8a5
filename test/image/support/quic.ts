/** Frames of HTTP/3, and a client that sends any bytes over QUIC: test/image/client/raw.py. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Image, inContainer } from "./container.ts";

/** A connection; each request has the bytes of its stream. */
export interface QuicCase {
  readonly requests: readonly Buffer[];
  /** Streams in one direction; by default the control stream alone. */
  readonly uni?: readonly Buffer[];
  /** Whether requests end. */
  readonly fin?: boolean;
  /** What the client does after its requests; `end` is to wait until nginx ends the connection. */
  readonly after?: "reset" | "stop" | "end";
}

export interface QuicAnswer {
  /** The statuses of the answers, null if there is none. */
  readonly statuses: readonly (number | null)[];
  /** The code with which nginx closed the connection; null if it did not. */
  readonly closed: number | null;
  /** The first request that nginx did not take, once for each GOAWAY. */
  readonly goaway: readonly number[];
}

/** Sends the cases one after another. The input is a file in `folder`. */
export async function overQuic(
  client: Image,
  folder: string,
  { sni, port }: { readonly sni: string; readonly port: number },
  cases: readonly QuicCase[],
): Promise<readonly QuicAnswer[]> {
  const hex = (one: Buffer) => one.toString("hex");
  const input = cases.map(({ uni = [control], requests, ...more }) => {
    return { ...more, sni, uni: uni.map(hex), requests: requests.map(hex) };
  });
  writeFileSync(join(folder, "cases.json"), JSON.stringify(input));
  const { text, exitCode } = await inContainer(client, {
    args: ["/usr/bin/python3", "/client/raw.py", "127.0.0.1", String(port), "/cases/cases.json"],
    mounts: { "/client": join(import.meta.dirname, "../client"), "/cases": folder },
    user: [0, 0],
  });
  expect(exitCode, text).toBe(0);
  return JSON.parse(text.split("\n").at(-1)!) as readonly QuicAnswer[];
}

/** An integer of QUIC. */
export function integer(value: number | bigint): Buffer {
  if (value < 64) return Buffer.from([Number(value)]);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value) | 0xc000_0000_0000_0000n);
  return bytes;
}

/** A frame, whose length may be a wrong one. */
export function frame(kind: number, payload: Buffer | string = "", length: number | bigint = payload.length): Buffer {
  return Buffer.concat([integer(kind), integer(length), Buffer.from(payload as string, "latin1")]);
}

/** An integer of QPACK, behind the first bits of a byte. */
export function prefixed(value: number, bits: number, first: number): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([first | value]);
  const bytes = [first | most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

export type Headers = readonly (readonly [name: string, value: string])[];

/** A block of headers without a reference to a table. */
export function block(headers: Headers): Buffer {
  const fields = headers.flatMap(([name, value]) => [
    ...[prefixed(name.length, 3, 0x20), Buffer.from(name, "latin1")],
    ...[prefixed(value.length, 7, 0), Buffer.from(value, "latin1")],
  ]);
  return Buffer.concat([Buffer.alloc(2), ...fields]);
}

export const data = (payload: Buffer | string): Buffer => frame(0, payload);
export const headers = (all: Headers): Buffer => frame(1, block(all));
/** The control stream, with empty settings. */
export const control = Buffer.concat([integer(0), frame(4)]);

/** The headers of a request. */
export const asking = (authority: string, path: string, more: Headers = [], method = "GET"): Headers => [
  ...([
    [":method", method],
    [":scheme", "https"],
    [":authority", authority],
    [":path", path],
  ] as const),
  ...more,
];

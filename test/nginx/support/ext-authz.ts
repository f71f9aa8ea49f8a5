/**
 * An auth service with Envoy's gRPC protocol ext_authz: an HTTP/2 server that reads
 * CheckRequests and returns the answers of the test. It has its own reader and writer of Protocol
 * Buffers, so that it does not share a mistake with those under test.
 */
import { once } from "node:events";
import { createSecureServer, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Checked {
  readonly path: string;
  readonly grpcHeaders: IncomingHttpHeaders;
  readonly client: string;
  readonly method: string;
  readonly url: string;
  readonly host: string;
  readonly scheme: string;
  readonly protocol: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly rawBody: Buffer;
}

export interface CheckAnswer {
  /** The CheckResponse. */
  readonly message?: Buffer;
  /** All bytes of the answer in place of the frame around the message. */
  readonly bytes?: Buffer;
  readonly grpcStatus?: string;
  readonly httpStatus?: number;
}

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];

/** A field with a number, a text or a message. */
export function field(number: number, value: number | string | Buffer): Buffer {
  if (typeof value === "number") return Buffer.from([...varint(number << 3), ...varint(value)]);
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}
export const message = (number: number, ...parts: readonly Buffer[]): Buffer => field(number, Buffer.concat(parts));

/** A HeaderValueOption in the field of this number; `how` is its append_action. */
export const header = (number: number, name: string, value: string, how = 0): Buffer =>
  message(number, message(1, field(1, name), field(2, value)), ...(how === 0 ? [] : [field(3, how)]));
/** A status: OK, or the one with this number. */
export const status = (code = 0): Buffer => message(1, ...(code === 0 ? [] : [field(1, code)]));

type Read = ReadonlyMap<number, readonly (number | Buffer)[]>;

function read(bytes: Buffer): Read {
  const fields = new Map<number, (number | Buffer)[]>();
  let at = 0;
  const next = (): number => {
    let [value, factor] = [0, 1];
    for (; bytes[at]! >= 128; at++) {
      value += (bytes[at]! & 127) * factor;
      factor *= 128;
    }
    return value + bytes[at++]! * factor;
  };
  const taken = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = next();
    const number = key >> 3;
    if ((key & 7) !== 0 && (key & 7) !== 2) throw new Error(`field ${number} has the kind ${key & 7}`);
    const value = (key & 7) === 0 ? next() : taken(next());
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const bytesIn = (fields: Read, number: number): Buffer => (fields.get(number)?.at(-1) ?? Buffer.alloc(0)) as Buffer;
const textIn = (fields: Read, number: number): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(bytesIn(fields, number));
const inner = (fields: Read, ...numbers: readonly number[]): Read =>
  numbers.reduce((found, number) => read(bytesIn(found, number)), fields);

function checkedIn(path: string, grpcHeaders: IncomingHttpHeaders, frame: Buffer): Checked {
  if (frame[0] !== 0 || frame.readUInt32BE(1) !== frame.length - 5) throw new Error("no frame of one message");
  const attributes = inner(read(frame.subarray(5)), 1);
  const peer = inner(attributes, 1, 1, 1);
  const http = inner(attributes, 4, 2);
  const headers = (http.get(3) ?? []).map((one) => {
    const pair = read(one as Buffer);
    return [textIn(pair, 1), textIn(pair, 2)] as const;
  });
  return {
    path,
    grpcHeaders,
    client: textIn(peer, 2),
    method: textIn(http, 2),
    headers: Object.fromEntries(headers),
    url: textIn(http, 4),
    host: textIn(http, 5),
    scheme: textIn(http, 6),
    protocol: textIn(http, 10),
    body: textIn(http, 11),
    rawBody: bytesIn(http, 12),
  };
}

/** Listens until the test ends. With `secure` it listens with TLS and this key pair. */
export async function startExtAuthz(
  port: number,
  address: string,
  answer: (checked: Checked) => CheckAnswer,
  secure?: { readonly key: string; readonly cert: string },
): Promise<void> {
  const server = secure === undefined ? createServer() : createSecureServer(secure);
  const take = async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on("error", () => {});
    const frame = await buffer(stream);
    const {
      message: verdict = Buffer.alloc(0),
      grpcStatus = "0",
      httpStatus = 200,
      bytes,
    } = answer(checkedIn(String(headers[":path"]), headers, frame));
    stream.respond({ ":status": httpStatus, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": grpcStatus }));
    const length = Buffer.alloc(5);
    length.writeUInt32BE(verdict.length, 1);
    stream.end(bytes ?? Buffer.concat([length, verdict]));
  };
  server.on("stream", (stream, headers) => void take(stream, headers));
  server.listen(port, address);
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
}

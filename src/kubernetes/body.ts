/**
 * Reads what the API server sends: a whole body, or a watch, which is one object after the other
 * until the connection ends: a line of JSON each, or a frame of protobuf. A body that stops halfway
 * ends in an error event of node, never in a rejected promise here.
 */
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Clock } from "../timing/clock.ts";
import { type Answer, type ApiFailure, failed, ownFailure, succeeded } from "./answer.ts";

/** Returns what the bytes say. Throws if they are not of the expected form. */
export type Decode<T = unknown> = (bytes: Buffer) => T;

/**
 * Returns the decoded body, which may be packed (gzip). After `inactivityMs` without data the
 * connection counts as dead.
 */
export async function readBody(
  body: IncomingMessage,
  clock: Clock,
  inactivityMs: number,
  decode: Decode = json,
): Promise<Answer<unknown>> {
  const pieces: Buffer[] = [];
  const broken = await readPieces(body, clock, inactivityMs, (piece) => pieces.push(piece));
  if (broken) return failed(broken);
  const bytes = Buffer.concat(pieces);
  const unpacked = body.headers["content-encoding"] === "gzip" ? await unpack(bytes).catch(() => undefined) : bytes;
  const value = unpacked && decoded(unpacked, decode);
  return value === undefined ? failed(unreadable) : succeeded(value);
}

const unpack = promisify<Buffer, Buffer>(gunzip);

/** Takes a stream apart into the bytes of its objects. */
export interface Parts {
  /** Returns the parts that the piece completes. */
  after(piece: Buffer): Iterable<Buffer>;
}

/**
 * Calls `onObject` with each decoded object. Resolves with undefined when the server ends the
 * stream in good order, else with the failure. `onObject` ends the watch early by returning a
 * failure; an exception in it is a bug and rejects.
 */
export async function readStream<T>(
  body: IncomingMessage,
  clock: Clock,
  inactivityMs: number,
  onObject: (value: T) => ApiFailure | undefined,
  parts: Parts = new Lines(),
  decode: Decode<T> = json as Decode<T>,
): Promise<ApiFailure | undefined> {
  let ended: ApiFailure | undefined;
  const broken = await readPieces(body, clock, inactivityMs, (piece) => {
    for (const part of parts.after(piece)) {
      if (ended) break;
      const value = decoded(part, decode);
      ended = value === undefined ? unreadable : onObject(value);
    }
    if (ended) body.destroy();
  });
  return ended ?? broken;
}

/** Lines that are not empty. */
class Lines implements Parts {
  #pending: Buffer[] = [];

  *after(piece: Buffer): Generator<Buffer> {
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      const line = Buffer.concat([...this.#pending, piece.subarray(from, end)]);
      this.#pending = [];
      from = end + 1;
      if (line.length > 0) yield line;
    }
    this.#pending.push(piece.subarray(from));
  }
}

const newline = 10;
const json: Decode = (bytes) => JSON.parse(bytes.toString());
const unreadable = ownFailure("unreadable", "the answer does not have the form of the API");

function decoded<T>(bytes: Buffer, decode: Decode<T>): T | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

function readPieces(
  body: IncomingMessage,
  clock: Clock,
  inactivityMs: number,
  onPiece: (piece: Buffer) => void,
): Promise<ApiFailure | undefined> {
  return new Promise((resolve, reject) => {
    let quiet = false;
    const silence = () => {
      quiet = true;
      body.destroy();
    };
    let cancel = clock.schedule(inactivityMs, silence);
    body.on("data", (piece: Buffer) => {
      cancel();
      cancel = clock.schedule(inactivityMs, silence);
      try {
        onPiece(piece);
      } catch (bug) {
        body.destroy();
        reject(bug as Error);
      }
    });
    let cause = "the connection broke";
    body.once("error", (error: NodeJS.ErrnoException) => {
      cause = `${error.code ?? error.name}: ${error.message}`;
    });
    body.once("close", () => {
      cancel();
      if (quiet) resolve(ownFailure("silent", `nothing came for ${inactivityMs} ms`));
      else resolve(body.complete ? undefined : ownFailure("unreachable", cause));
    });
  });
}

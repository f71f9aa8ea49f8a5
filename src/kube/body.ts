/**
 * Reads what the API server sends: a whole body, or a watch, which is one object after the other
 * until the connection ends: a line of JSON each, or a frame of protobuf. A body that stops halfway
 * ends in an error event of node, never in a rejected promise here.
 */
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { callback } from "../base/callbacks.ts";
import type { Clock } from "../base/timing/clock.ts";
import { type Answer, type ApiFailure, failed, ownFailure, succeeded } from "./answer.ts";
import { mostBytes } from "./protobuf/cutter.ts";

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
  const broken = await readPieces(
    body,
    clock,
    () => inactivityMs,
    (piece) => pieces.push(piece),
  );
  if (broken) return failed(broken);
  const bytes = Buffer.concat(pieces);
  const unpacked = body.headers["content-encoding"] === "gzip" ? await unpack(bytes).catch(() => undefined) : bytes;
  const value = unpacked && decoded(unpacked, decode);
  // A proxy in between may answer with other JSON, such as null.
  return typeof value === "object" && value !== null ? succeeded(value) : failed(unreadable);
}

const unpack = promisify<Buffer, Buffer>(gunzip);

/** Takes a stream apart into the bytes of its objects. */
export interface Parts {
  /** Returns the parts that the piece completes. Throws if the bytes can begin none. */
  after(piece: Buffer): Iterable<Buffer>;
  /** Whether the last part is complete. */
  readonly isComplete: boolean;
}

/** The form of a stream, and how long it may be quiet. */
export interface StreamForm<T> {
  readonly parts?: Parts;
  readonly decode?: Decode<T>;
  /** After this time without data the connection counts as dead. */
  readonly inactivityMs: number;
  /** The same in the middle of an object; the default is `inactivityMs`. */
  readonly halfwayMs?: number;
}

/**
 * Calls `onObject` with each decoded object. Resolves with undefined when the server ends the
 * stream in good order, else with the failure. `onObject` ends the watch early by returning a
 * failure; an exception in it is a bug and rejects.
 */
export async function readStream<T>(
  body: IncomingMessage,
  clock: Clock,
  onObject: (value: T) => ApiFailure | undefined,
  { parts = new Lines(), decode = json as Decode<T>, inactivityMs, halfwayMs = inactivityMs }: StreamForm<T>,
): Promise<ApiFailure | undefined> {
  let ended: ApiFailure | undefined;
  const quietMs = () => (parts.isComplete ? inactivityMs : Math.min(halfwayMs, inactivityMs));
  const broken = await readPieces(body, clock, quietMs, (piece) => {
    const complete = partsAfter(parts, piece);
    for (const part of complete ?? []) {
      if (ended) break;
      const value = decoded(part, decode);
      ended = value === undefined ? unreadable : onObject(value);
    }
    if (complete === undefined) ended ??= unreadable;
    if (ended) body.destroy();
  });
  return ended ?? broken;
}

/** Returns undefined if the bytes can begin no object. */
function partsAfter(parts: Parts, piece: Buffer): readonly Buffer[] | undefined {
  try {
    return [...parts.after(piece)];
  } catch {
    return undefined;
  }
}

/** Lines that are not empty. Each is an object of JSON. */
class Lines implements Parts {
  #pending: Buffer[] = [];
  #length = 0;

  get isComplete(): boolean {
    return this.#length === 0;
  }

  *after(piece: Buffer): Generator<Buffer> {
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      this.#add(piece.subarray(from, end));
      const line = Buffer.concat(this.#pending, this.#length);
      this.#pending = [];
      this.#length = 0;
      from = end + 1;
      if (line.length > 0) yield line;
    }
    this.#add(piece.subarray(from));
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#length === 0 && !beginsObject(bytes)) throw new Error("a line that is no object");
    this.#pending.push(bytes);
    this.#length += bytes.length;
    if (this.#length > mostBytes) throw new Error("a line that does not end");
  }
}

const newline = 10;
const beginsObject = (bytes: Buffer): boolean => bytes[0] === 123;
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
  quietMs: () => number,
  onPiece: (piece: Buffer) => void,
): Promise<ApiFailure | undefined> {
  return new Promise((resolve, reject) => {
    let quiet: number | undefined;
    const waitForMore = () => {
      const limitMs = quietMs();
      return clock.schedule(limitMs, () => {
        quiet = limitMs;
        body.destroy();
      });
    };
    let cancel = waitForMore();
    body.on(
      "data",
      callback("the reading of an answer", (piece: Buffer) => {
        cancel();
        try {
          onPiece(piece);
        } catch (bug) {
          body.destroy();
          reject(bug as Error);
        }
        cancel = waitForMore();
      }),
    );
    let cause = "the connection broke";
    body.once(
      "error",
      callback("the end of an answer", (error: NodeJS.ErrnoException) => {
        cause = `${error.code ?? error.name}: ${error.message}`;
      }),
    );
    body.once(
      "close",
      callback("the end of an answer", () => {
        cancel();
        if (quiet !== undefined) resolve(ownFailure("silent", `nothing came for ${quiet} ms`));
        else resolve(body.complete ? undefined : ownFailure("unreachable", cause));
      }),
    );
  });
}

/**
 * Reads what the API server sends: a whole JSON body, or a watch, which is one JSON object per line
 * until the connection ends. A body that stops halfway ends in an error event of node, never in a
 * rejected promise here.
 */
import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Clock } from "../timing/clock.ts";
import { type Answer, type ApiFailure, failed, ownFailure, succeeded } from "./answer.ts";

/**
 * Returns the parsed body, which may be packed (gzip). After `inactivityMs` without data the
 * connection counts as dead.
 */
export async function readJson(body: IncomingMessage, clock: Clock, inactivityMs: number): Promise<Answer<unknown>> {
  const pieces: Buffer[] = [];
  const broken = await readPieces(body, clock, inactivityMs, (piece) => pieces.push(piece));
  if (broken) return failed(broken);
  const bytes = Buffer.concat(pieces);
  const unpacked = body.headers["content-encoding"] === "gzip" ? await unpack(bytes).catch(() => undefined) : bytes;
  const value = unpacked && parsed(unpacked.toString());
  return value === undefined ? failed(unreadable) : succeeded(value);
}

const unpack = promisify<Buffer, Buffer>(gunzip);

/**
 * Calls `onLine` with each parsed line. Resolves with undefined when the server ends the stream in
 * good order, else with the failure. `onLine` ends the watch early by returning a failure; an
 * exception in it is a bug and rejects.
 */
export async function readLines(
  body: IncomingMessage,
  clock: Clock,
  inactivityMs: number,
  onLine: (value: unknown) => ApiFailure | undefined,
): Promise<ApiFailure | undefined> {
  const decoder = new StringDecoder("utf8");
  let pending: string[] = [];
  let ended: ApiFailure | undefined;
  const broken = await readPieces(body, clock, inactivityMs, (piece) => {
    const [head = "", ...rest] = decoder.write(piece).split("\n");
    pending.push(head);
    for (const next of rest) {
      const line = pending.join("");
      pending = [next];
      if (line === "" || ended) continue;
      const value = parsed(line);
      ended = value === undefined ? unreadable : onLine(value);
    }
    if (ended) body.destroy();
  });
  return ended ?? broken;
}

const unreadable = ownFailure("unreadable", "the answer is not JSON");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
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

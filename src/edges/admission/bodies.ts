/**
 * Reads the bodies of requests with bounded memory: there is a limit for each body, and one for all
 * bodies that are held at a time. Bytes beyond the limit are dropped as they arrive, so that the
 * client can still read the answer. If all bodies together are too large, the one that has been
 * coming in for the longest time loses its place: a review that is sent at once is never refused
 * because of clients that send slowly.
 */
import type { IncomingMessage } from "node:http";
import { callback } from "../../base/callbacks.ts";

export type ReadBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 413 | 503; readonly why: string };

export interface BodyLimits {
  readonly eachBytes: number;
  readonly allBytes: number;
}

interface Reading {
  bytes: number;
  end(body: ReadBody): void;
}

export class Bodies {
  readonly #limits: BodyLimits;
  /** The bodies that are coming in, the longest one first. */
  readonly #readings = new Set<Reading>();
  #held = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  read(request: IncomingMessage): Promise<ReadBody> {
    const { eachBytes } = this.#limits;
    const tooLarge = { ok: false, status: 413, why: `the body has more than ${eachBytes} bytes` } as const;
    if (Number(request.headers["content-length"] ?? 0) > eachBytes) {
      request.resume();
      return Promise.resolve(tooLarge);
    }
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const reading: Reading = {
        bytes: 0,
        end: (body) => {
          if (!this.#readings.delete(reading)) return;
          this.#held -= reading.bytes;
          chunks.length = 0;
          resolve(body);
        },
      };
      this.#readings.add(reading);
      const broken = (why: string) => reading.end({ ok: false, status: 400, why: `the body ended early: ${why}` });
      const take = (chunk: Buffer) => {
        if (!this.#readings.has(reading)) return;
        reading.bytes += chunk.length;
        this.#held += chunk.length;
        if (reading.bytes > eachBytes) return reading.end(tooLarge);
        chunks.push(chunk);
        this.#makeRoom();
      };
      const whole = () => reading.end({ ok: true, text: Buffer.concat(chunks).toString("utf8") });
      request.on("data", callback("reading a review", take));
      request.on("end", callback("reading a review", whole));
      request.on(
        "error",
        callback("reading a review", ({ message }: Error) => broken(message)),
      );
      request.on(
        "close",
        callback("reading a review", () => broken("the connection ended")),
      );
    });
  }

  #makeRoom(): void {
    for (const reading of this.#readings) {
      if (this.#held <= this.#limits.allBytes) return;
      reading.end({ ok: false, status: 503, why: "too much at once" });
    }
  }
}

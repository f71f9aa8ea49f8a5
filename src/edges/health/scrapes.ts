/**
 * Answers scrapes of the metrics with bounded work and memory. Any client in the cluster can reach
 * the port, and the text of a large cluster has megabytes. Requests that arrive during a scrape
 * share its result, and only some answers may wait for their client at a time.
 */
import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip as gzipWith, type ZlibOptions } from "node:zlib";
import { callback } from "../../base/callbacks.ts";
import { shared } from "../../base/timing/shared.ts";

export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** The most answers that clients have not read yet. Few programs scrape a controller. */
const mostWaiting = 10;
/** The time after which a client that does not read loses its connection. */
const longestWaitMs = 30_000;

/** Compressed metrics have a fiftieth of the size, because labels repeat so often. */
const gzip = promisify<Buffer, ZlibOptions, Buffer>(gzipWith);

class Scrape {
  readonly contentType: string;
  /** Bytes can be sent to several clients without a copy for each. */
  readonly plain: Buffer;
  #zipped: Promise<Buffer> | undefined;

  constructor({ contentType, text }: MetricsText) {
    this.contentType = contentType;
    this.plain = Buffer.from(text);
  }

  zipped(): Promise<Buffer> {
    this.#zipped ??= gzip(this.plain, { level: constants.Z_BEST_SPEED });
    return this.#zipped;
  }
}

export class Scrapes {
  readonly #scrape: () => Promise<Scrape>;
  #waiting = 0;

  constructor(metrics: () => Promise<MetricsText>) {
    this.#scrape = shared(async () => new Scrape(await metrics()));
  }

  /** Returns the scrape for this answer, or undefined if too many other answers are waiting. */
  async for(response: ServerResponse): Promise<Scrape | undefined> {
    if (this.#waiting >= mostWaiting) return undefined;
    this.#waiting++;
    response.once(
      "close",
      callback("the count of scrapes", () => this.#waiting--),
    );
    response.setTimeout(
      longestWaitMs,
      callback("the end of a slow scrape", () => response.destroy()),
    );
    return this.#scrape();
  }
}

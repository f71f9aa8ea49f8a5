/**
 * Reads the bodies of requests with bounded memory: there is a limit for each body, and one for all
 * bodies that are held at a time. Bytes beyond the limit are dropped as they arrive, so that the
 * client can still read the answer.
 */
import type { IncomingMessage } from "node:http";

export type ReadBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 413 | 503; readonly why: string };

export interface BodyLimits {
  readonly eachBytes: number;
  readonly allBytes: number;
}

export class Bodies {
  readonly #limits: BodyLimits;
  #held = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  async read(request: IncomingMessage): Promise<ReadBody> {
    const { eachBytes, allBytes } = this.#limits;
    const tooLarge = { ok: false, status: 413, why: `the body has more than ${eachBytes} bytes` } as const;
    if (Number(request.headers["content-length"] ?? 0) > eachBytes) return refuse(request, tooLarge);
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        bytes += (chunk as Buffer).length;
        this.#held += (chunk as Buffer).length;
        if (bytes > eachBytes) return refuse(request, tooLarge);
        if (this.#held > allBytes) return refuse(request, { ok: false, status: 503, why: "too much at once" });
        chunks.push(chunk as Buffer);
      }
      return { ok: true, text: Buffer.concat(chunks).toString("utf8") };
    } catch (error) {
      return { ok: false, status: 400, why: `the body ended early: ${(error as Error).message}` };
    } finally {
      this.#held -= bytes;
    }
  }
}

function refuse(request: IncomingMessage, refusal: ReadBody): ReadBody {
  request.resume();
  return refusal;
}

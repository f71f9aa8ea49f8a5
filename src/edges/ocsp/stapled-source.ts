/**
 * A Source that adds the OCSP responses of the served certificates to the Snapshot. Each is renewed
 * long before it expires. While the responder does not answer, the last response is stapled until
 * it expires; after that none is, because a handshake without one is valid. A response that the
 * certificate is revoked ends the stapling.
 */

import { inBackground } from "../../base/callbacks.ts";
import { type Clock, sleep } from "../../base/timing/clock.ts";
import { doublingMs } from "../../base/timing/doubling.ts";
import type { Certificate } from "../../core/model/configuration.ts";
import { Table } from "../../core/model/table.ts";
import { Layer } from "../../core/sync/layer.ts";
import type { Source } from "../../core/sync/ports.ts";
import type * as Message from "./message.ts";
import { type Ask, fewAtOnce } from "./responders.ts";

export interface StapleOptions {
  readonly ask: Ask;
  readonly clock: Clock;
  readonly report: (event: StapleEvent) => void;
}

export type StapleEvent =
  | { readonly kind: "stapled"; readonly certificate: string; readonly until: Date | undefined }
  | { readonly kind: "failed"; readonly certificate: string; readonly why: string };

const [soonestMs, latestMs] = [60_000, 86_400_000];
/** For responses that do not name the time of the next one. */
const defaultLifeMs = 3_600_000;

export class StapledSource extends Layer {
  readonly #options: StapleOptions;
  readonly #signal: AbortSignal;
  readonly #askFewAtOnce: Ask;
  /** Certificates whose responses are renewed, by fingerprint. An abort ends that. */
  readonly #followed = new Map<string, AbortController>();
  #staples: Table<string> = Table.empty();
  /** Resolves when the last added chain is about to be parsed. */
  #reading = Promise.resolve();

  constructor(source: Source, options: StapleOptions, signal: AbortSignal) {
    super(source, (below) => ({ ...below, staples: this.#staples }));
    this.#options = options;
    this.#askFewAtOnce = fewAtOnce(options.ask);
    this.#signal = signal;
  }

  /** Sets the certificates that are served; there are none if stapling is off. */
  follow(certificates: Iterable<Certificate>): void {
    const wanted = new Map([...certificates].map((one) => [one.fingerprint, one]));
    for (const [fingerprint, stop] of this.#followed) {
      if (wanted.has(fingerprint)) continue;
      stop.abort();
      this.#followed.delete(fingerprint);
      this.#put(fingerprint, undefined);
    }
    for (const [fingerprint, certificate] of wanted) {
      if (this.#followed.has(fingerprint)) continue;
      const stop = new AbortController();
      this.#followed.set(fingerprint, stop);
      inBackground("OCSP", this.#askRepeatedly(certificate, AbortSignal.any([stop.signal, this.#signal])));
    }
  }

  async #askRepeatedly({ id, chain, fingerprint }: Certificate, signal: AbortSignal): Promise<void> {
    const { clock, report } = this.#options;
    await this.#turnToRead(signal);
    // Loaded late: its library takes 5 MB, and few clusters use stapling.
    const message = await import("./message.ts");
    const question = signal.aborted ? undefined : message.questionOf(chain);
    if (question === undefined) return;
    if (typeof question === "string") return report({ kind: "failed", certificate: id, why: question });
    let [failures, endsAt] = [0, 0];
    while (!signal.aborted) {
      const answer = await this.#ask(message, question, signal);
      if (signal.aborted) return;
      if (answer.ok) {
        failures = 0;
        endsAt = answer.nextUpdate?.getTime() ?? Number.POSITIVE_INFINITY;
        report({ kind: "stapled", certificate: id, until: answer.nextUpdate });
        this.#put(fingerprint, Buffer.from(answer.body).toString("base64"));
        await sleep(clock, waitMs(answer.nextUpdate, clock.wall()), signal);
      } else {
        report({ kind: "failed", certificate: id, why: answer.why });
        if ("revoked" in answer) endsAt = 0;
        if (endsAt <= clock.wall()) this.#put(fingerprint, undefined);
        const againMs = doublingMs(++failures, { floorMs: soonestMs, ceilingMs: 3_600_000 });
        const leftMs = endsAt - clock.wall();
        await sleep(clock, leftMs > 0 ? Math.min(leftMs, againMs) : againMs, signal);
      }
    }
  }

  /**
   * Resolves when it is this chain's turn to be parsed. Parsing a chain takes milliseconds, and
   * thousands may come at once, so other work runs between two of them.
   */
  #turnToRead(signal: AbortSignal): Promise<void> {
    this.#reading = this.#reading.then(() => sleep(this.#options.clock, 0, signal));
    return this.#reading;
  }

  async #ask({ readAnswer }: typeof Message, question: Message.Question, signal: AbortSignal) {
    try {
      const body = await this.#askFewAtOnce(question, signal);
      return { ...readAnswer(question, body, new Date(this.#options.clock.wall())), body };
    } catch (error) {
      return { ok: false, why: (error as Error).message } as const;
    }
  }

  #put(fingerprint: string, staple: string | undefined): void {
    if (this.#staples.get(fingerprint) === staple) return;
    this.#staples = this.#staples.with([[fingerprint, staple]]);
    this.renew();
  }
}

/** Waits until half of the response's remaining time is over. */
function waitMs(nextUpdate: Date | undefined, nowMs: number): number {
  const left = nextUpdate === undefined ? 2 * defaultLifeMs : nextUpdate.getTime() - nowMs;
  return Math.min(latestMs, Math.max(soonestMs, left / 2));
}

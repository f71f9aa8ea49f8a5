/**
 * A Source that adds missing intermediate certificates to TLS Secrets
 * (`--enable-ssl-chain-completion`). They are fetched in the background: until they arrive, and
 * if they are not available, the Secret is served as it is.
 */

import { inBackground } from "../../base/callbacks.ts";
import { guarded } from "../../base/guarded.ts";
import { type Clock, sleep } from "../../base/timing/clock.ts";
import { decoded } from "../../core/certificates/certificate.ts";
import type { Secret } from "../../core/model/objects.ts";
import { emptySnapshot, type Snapshot } from "../../core/model/snapshot.ts";
import { Layer } from "../../core/sync/layer.ts";
import type { Source } from "../../core/sync/ports.ts";
import { isRoot, issuerIn, missingIssuer } from "./issuer.ts";

export interface ChainOptions {
  /** Resolves with the content of the URL; rejects with a reason in words. */
  readonly fetch: (url: string, signal: AbortSignal) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly report: (event: ChainEvent) => void;
}

export type ChainEvent =
  | { readonly kind: "completed"; readonly secret: string; readonly added: number }
  | { readonly kind: "failed"; readonly secret: string; readonly why: string };

const againMs = 300_000;
/** Chains are two or three certificates long; longer ones are not followed. */
const longest = 5;

interface Completion {
  readonly of: Secret;
  readonly stop: AbortController;
  whole: Secret | undefined;
}

export class CompletedSource extends Layer {
  readonly #options: ChainOptions;
  readonly #signal: AbortSignal;
  readonly #completions = new Map<string, Completion>();
  #seen: Snapshot = emptySnapshot;

  constructor(source: Source, options: ChainOptions, signal: AbortSignal) {
    super(source, (below) => this.#over(below));
    this.#options = options;
    this.#signal = signal;
  }

  #over(below: Snapshot): Snapshot {
    for (const { key, after } of below.secrets.changesSince(this.#seen.secrets)) {
      this.#completions.get(key)?.stop.abort();
      this.#completions.delete(key);
      if (after !== undefined) this.#follow(key, after);
    }
    this.#seen = below;
    const whole = [...this.#completions].flatMap(([key, one]) => (one.whole ? [[key, one.whole] as const] : []));
    return { ...below, secrets: below.secrets.with(whole) };
  }

  #follow(key: string, secret: Secret): void {
    const chain = guarded(
      () => unfinishedChain(secret),
      () => undefined,
    );
    if (chain === undefined) return;
    const completion: Completion = { of: secret, stop: new AbortController(), whole: undefined };
    this.#completions.set(key, completion);
    inBackground(
      "the completion of a chain",
      this.#complete(key, completion, chain, AbortSignal.any([completion.stop.signal, this.#signal])),
    );
  }

  async #complete(key: string, completion: Completion, chain: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const found = await this.#issuersOf(chain, signal);
      if (signal.aborted) return;
      if (typeof found !== "string") {
        const text = [chain.trimEnd(), ...found.map((pem) => pem.trimEnd()), ""].join("\n");
        const { of } = completion;
        completion.whole = { ...of, data: { ...of.data, "tls.crt": Buffer.from(text).toString("base64") } };
        this.#options.report({ kind: "completed", secret: key, added: found.length });
        this.renew();
        return;
      }
      this.#options.report({ kind: "failed", secret: key, why: found });
      await sleep(this.#options.clock, againMs, signal);
    }
  }

  /**
   * Returns the certificates between the chain and its root as PEM, or the reason if one of them
   * is not available.
   */
  async #issuersOf(chain: string, signal: AbortSignal): Promise<readonly string[] | string> {
    const found: string[] = [];
    for (let next = missingIssuer(chain); next !== undefined && found.length < longest; ) {
      const { url, of } = next;
      try {
        const issuer = issuerIn(await this.#options.fetch(url, signal), of);
        if (issuer === undefined) return `what is at ${url} is not the issuer of ${of.subject}`;
        if (isRoot(issuer)) break;
        const pem = issuer.toString();
        found.push(pem);
        next = missingIssuer(pem);
      } catch (error) {
        return (error as Error).message;
      }
    }
    return found;
  }
}

/** Returns the chain of the Secret; undefined if nothing is missing. */
function unfinishedChain(secret: Secret): string | undefined {
  const chain = decoded(secret, "tls.crt");
  return chain !== undefined && missingIssuer(chain) !== undefined ? chain : undefined;
}

/**
 * Completes the chains of TLS Secrets if the operator turns that on, with a log line for each.
 */

import type { Clock } from "../../base/timing/clock.ts";
import type { AskedPolicy } from "../../core/kinds/asked.ts";
import type { Source } from "../../core/sync/ports.ts";
import { CompletedSource } from "../../edges/chains/completed-source.ts";
import { issuersFrom } from "../../edges/chains/fetch.ts";
import type { Log } from "../../edges/log/log.ts";
import type { Flags } from "../flags.ts";

export interface ChainSourceOptions {
  readonly flags: Pick<Flags, "enableSslChainCompletion">;
  readonly log: Log;
  readonly clock: Clock;
  /** The addresses that may be requested. */
  readonly asked: AskedPolicy;
}

export function completedSource(
  source: Source,
  { flags, log, clock, asked }: ChainSourceOptions,
  signal: AbortSignal,
): Source {
  if (!flags.enableSslChainCompletion) return source;
  return new CompletedSource(
    source,
    {
      fetch: issuersFrom(asked),
      clock,
      report: (event) => {
        const { secret } = event;
        if (event.kind === "completed") log.info({ secret, added: event.added }, "a certificate chain was completed");
        else log.warn({ secret, why: event.why }, "a certificate chain cannot be completed; it is served incomplete");
      },
    },
    signal,
  );
}

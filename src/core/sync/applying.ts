/**
 * Gives nginx the newest text and handles the outcome. One switch decides, for each outcome, the
 * state of the generation, the refund of the token, and the report to log and metrics.
 */
import type { Refused } from "../quarantine/accusation.ts";
import type { QuarantineKeeper } from "../quarantine/quarantine.ts";
import type { Candidate, Generations } from "./generations.ts";
import type { ApplyOutcome, Memory, Nginx } from "./ports.ts";

type Failure = Extract<ApplyOutcome, { readonly kind: "refused" | "unreachable" }>;

/**
 * `served` means that nginx has the text. `set aside` means that nginx refused it, and another text
 * without the suspects follows. `given up` means that nginx refused it, and no suspect was found.
 * `may pass` means that the reason is not in the configuration. `broken off` means that the
 * controller ends.
 */
export type EndingKind = "served" | "set aside" | "given up" | "may pass" | "broken off";

export interface Ending {
  readonly kind: EndingKind;
  /** Whether the same text is tried again later. */
  readonly retries: boolean;
  /**
   * Whether the reload's token is returned: the reload cost the workers nothing, and one mistake
   * must not delay other changes.
   */
  readonly refunds: boolean;
  /**
   * The reason that the log and `sluice_reloads_total` report; absent if nothing is reported.
   */
  readonly report?: ApplyOutcome;
  /** Whether nginx was started with the text and read its records from the disk. */
  readonly started: boolean;
  /** Whether nginx has none of the controller's records and needs all of them. */
  readonly lacksRecords: boolean;
}

export interface ApplyingParts {
  readonly nginx: Pick<Nginx, "apply">;
  readonly memory: Pick<Memory, "isOurs">;
}

export class Applying {
  readonly #parts: ApplyingParts;
  readonly #generations: Generations;
  readonly #keeper: QuarantineKeeper;

  constructor(parts: ApplyingParts, generations: Generations, keeper: QuarantineKeeper) {
    this.#parts = parts;
    this.#generations = generations;
    this.#keeper = keeper;
  }

  /** Applies a text and decides what follows. `candidate` is the result of `Generations.begin`. */
  async apply(candidate: Candidate, signal: AbortSignal): Promise<Ending> {
    const outcome = await this.#parts.nginx.apply(candidate.text, signal);
    const kind = this.#endingOf(outcome, candidate, signal);
    const served = this.#generations.live;
    const servedSnapshot = this.#generations.liveSnapshot;
    switch (kind) {
      case "served": {
        this.#generations.serve(candidate);
        this.#keeper.accepted(candidate.snapshot, servedSnapshot);
        const started = outcome.kind === "reloaded" && outcome.started === true;
        // An nginx that an earlier process has left running may lack the newest records.
        const isLeft = served === undefined && !started;
        const lacksRecords = isLeft || !(await this.#parts.memory.isOurs());
        return { kind, retries: false, refunds: false, report: outcome, started, lacksRecords };
      }
      case "set aside":
        this.#generations.refuse(candidate.text);
        return { kind, retries: false, refunds: true, report: asRefusal(outcome), started: false, lacksRecords: false };
      case "given up":
        this.#generations.refuse(candidate.text);
        this.#generations.giveUp();
        return { kind, retries: false, refunds: true, report: asRefusal(outcome), started: false, lacksRecords: false };
      case "may pass":
        this.#generations.retryLater(candidate.text);
        return {
          kind,
          retries: true,
          refunds: outcome.kind === "refused",
          report: outcome,
          started: false,
          lacksRecords: false,
        };
      case "broken off":
        this.#generations.retryLater(candidate.text);
        return { kind, retries: false, refunds: false, started: false, lacksRecords: false };
    }
  }

  #endingOf(outcome: ApplyOutcome, candidate: Candidate, signal: AbortSignal): EndingKind {
    if (outcome.kind === "reloaded" || outcome.kind === "unchanged") return "served";
    if (outcome.kind === "refused") return this.#search(candidate, outcome);
    // A reload that the end of the controller interrupted is not a failure. A report about it would
    // hide why the controller ends.
    if (signal.aborted) return "broken off";
    const { names } = outcome;
    // The machine is the cause, unless an object of the cluster needs the address. At a start only
    // a TCP or UDP service can do that.
    const isAsked = this.#generations.live !== undefined || this.#keeper.isPortOfService(names, candidate.snapshot);
    return names === undefined || !isAsked ? "may pass" : this.#search(candidate, outcome);
  }

  /** Sets suspects aside, if there are any. */
  #search({ text, snapshot }: Candidate, outcome: Failure): EndingKind {
    const { conf, ownersAt } = text;
    const refused: Refused = { ...refusalOf(outcome), conf, ownersAt };
    if (this.#keeper.refused(refused, snapshot, this.#generations.liveSnapshot)) return "set aside";
    return refused.mayPass ? "may pass" : "given up";
  }
}

function refusalOf(outcome: Failure): Omit<Refused, "conf" | "ownersAt"> {
  if (outcome.kind === "unreachable")
    return { stderr: outcome.cause.message, line: undefined, names: outcome.names, mayPass: true };
  const { stderr, at, names, mayPass = false } = outcome;
  return { stderr, line: at?.line, names, mayPass };
}

/**
 * Turns a failure into a refusal. A failure with a suspect counts as a refusal, because the same
 * text is not tried again.
 */
function asRefusal(outcome: ApplyOutcome): ApplyOutcome {
  return outcome.kind === "unreachable" ? { kind: "refused", stderr: outcome.cause.message } : outcome;
}

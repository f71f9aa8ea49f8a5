/**
 * One try to give nginx the newest text, and what follows from its answer: who is set aside, who is given back, and whether
 * the same text is worth another try.
 */

import type { Refused } from "../quarantine/accusation.ts";
import type { QuarantineKeeper } from "../quarantine/quarantine.ts";
import type { Renderer } from "../render/rendering.ts";
import type { Candidate, Generations } from "./generations.ts";
import type { ApplyOutcome, Memory, Nginx } from "./ports.ts";

export interface Applied {
  readonly outcome: ApplyOutcome;
  /** Whether nginx has none of our records, so that it needs all of them. */
  readonly lacksRecords: boolean;
  /** Whether it did not work for a reason that may pass. */
  readonly mayPass: boolean;
}

export interface ApplyingParts {
  readonly nginx: Nginx;
  readonly memory: Memory;
  readonly renderer: Pick<Renderer, "refused">;
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

  /** `made` is what `Generations.begin` gave. */
  async apply(made: Candidate, signal: AbortSignal): Promise<Applied> {
    const outcome = await this.#parts.nginx.apply(made.text, signal);
    this.#generations.end();
    if (outcome.kind === "reloaded" || outcome.kind === "unchanged") {
      const started = outcome.kind === "reloaded" && outcome.started === true;
      return { outcome, lacksRecords: await this.#serve(made, started), mayPass: false };
    }
    const mayPass = this.#fail(made, outcome);
    return { outcome: mayPass ? outcome : asRefusal(outcome), lacksRecords: false, mayPass };
  }

  async #serve(made: Candidate, started: boolean): Promise<boolean> {
    const { live, liveSnapshot } = this.#generations;
    this.#generations.serve(made);
    this.#keeper.accepted(made.snapshot, liveSnapshot);
    // One that somebody else left running may lack what was kept last.
    const isLeft = live === undefined && !started;
    return isLeft || !(await this.#parts.memory.isOurs());
  }

  #fail(made: Candidate, outcome: Extract<ApplyOutcome, { readonly kind: "refused" | "unreachable" }>): boolean {
    if (outcome.kind === "refused") {
      const { stderr, at, names, mayPass = false } = outcome;
      return this.#setAside(made, { stderr, line: at?.line, names, mayPass });
    }
    const { cause, names } = outcome;
    // The machine's own reason, but for an address that something in the cluster asks for: at a start that can only be a TCP or UDP service.
    const isAsked = this.#generations.live !== undefined || this.#keeper.isPortOfService(names, made.snapshot);
    if (names === undefined || !isAsked) return true;
    return this.#setAside(made, { stderr: cause.message, line: undefined, names, mayPass: true });
  }

  /** Goes on without whoever is at fault; where nobody is, with another text, or later with the same where that may do then. */
  #setAside({ text, snapshot }: Candidate, said: Omit<Refused, "conf" | "ownersAt">): boolean {
    const { conf, ownersAt } = text;
    const refused = { ...said, conf, ownersAt };
    const goesOn = this.#keeper.refused(refused, snapshot, this.#generations.liveSnapshot);
    this.#generations.refuse(text);
    this.#parts.renderer.refused();
    if (goesOn) return false;
    if (!said.mayPass) this.#generations.giveUp();
    return said.mayPass;
  }
}

/** Somebody is set aside for it, and the same text is not tried again. */
function asRefusal(outcome: Extract<ApplyOutcome, { readonly kind: "refused" | "unreachable" }>): ApplyOutcome {
  return outcome.kind === "refused" ? outcome : { kind: "refused", stderr: outcome.cause.message };
}

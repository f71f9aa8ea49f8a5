/**
 * One try to give nginx the newest text, and what follows from its answer: who is set aside, who is given back, and whether
 * the same text is worth another try.
 */

import type { Detention, Refused } from "../quarantine/quarantine.ts";
import type { Renderer } from "../render/rendering.ts";
import type { Made, Texts } from "./generations.ts";
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
  readonly renderer: Pick<Renderer, "records" | "refused">;
}

export class Applying {
  readonly #parts: ApplyingParts;
  readonly #texts: Texts;
  readonly #detention: Detention;

  constructor(parts: ApplyingParts, texts: Texts, detention: Detention) {
    this.#parts = parts;
    this.#texts = texts;
    this.#detention = detention;
  }

  /** `made` is what `Texts.begin` gave. */
  async apply(made: Made, signal: AbortSignal): Promise<Applied> {
    const outcome = await this.#parts.nginx.apply(made.text, signal);
    this.#texts.end();
    if (outcome.kind === "reloaded" || outcome.kind === "unchanged") {
      const started = outcome.kind === "reloaded" && outcome.started === true;
      return { outcome, lacksRecords: await this.#serve(made, started), mayPass: false };
    }
    const mayPass = this.#fail(made, outcome);
    return { outcome: mayPass ? outcome : asRefusal(outcome), lacksRecords: false, mayPass };
  }

  async #serve(made: Made, started: boolean): Promise<boolean> {
    const { live, liveSnapshot } = this.#texts;
    this.#texts.serve(made);
    this.#detention.accepted(made.snapshot, liveSnapshot);
    // One that somebody else left running may lack what was kept last.
    const isLeft = live === undefined && !started;
    return isLeft || !(await this.#parts.memory.isOurs());
  }

  #fail(made: Made, outcome: Extract<ApplyOutcome, { readonly kind: "refused" | "unreachable" }>): boolean {
    if (outcome.kind === "refused") {
      const { stderr, at, names, mayPass = false } = outcome;
      return this.#setAside(made, { stderr, line: at?.line, names, mayPass });
    }
    const { cause, names } = outcome;
    // The machine's own reason, but for an address that something in the cluster asks for: at a start that can only be a TCP or UDP service.
    const isAsked = this.#texts.live !== undefined || this.#detention.isPortOfService(names, made.snapshot);
    if (names === undefined || !isAsked) return true;
    return this.#setAside(made, { stderr: cause.message, line: undefined, names, mayPass: true });
  }

  /** Goes on without whoever is at fault; where nobody is, with another text, or later with the same where that may do then. */
  #setAside({ text, snapshot }: Made, said: Omit<Refused, "conf" | "records">): boolean {
    const { conf, authors } = text;
    const refused = { ...said, conf, authors, records: this.#parts.renderer.records };
    const goesOn = this.#detention.refused(refused, snapshot, this.#texts.liveSnapshot);
    this.#texts.refuse(text);
    this.#parts.renderer.refused();
    if (goesOn) return false;
    if (!said.mayPass) this.#texts.giveUp();
    return said.mayPass;
  }
}

/** Somebody is set aside for it, and the same text is not tried again. */
function asRefusal(outcome: Extract<ApplyOutcome, { readonly kind: "refused" | "unreachable" }>): ApplyOutcome {
  return outcome.kind === "refused" ? outcome : { kind: "refused", stderr: outcome.cause.message };
}

/**
 * Asks the running nginx for its decision about each request of a case before the request is sent.
 * nginx's decision, the matcher's and the answer have to agree. The question lacks the cookies that
 * a case collects, so any of several backends is accepted.
 */
import type { Decision } from "../../src/ask/matcher/decision.ts";
import type { Answer } from "./answer.ts";
import type { Case, RequestStep } from "./case.ts";
import { askedOf, fits, inWords, ofBackend, outcomesOf } from "./decision-fits.ts";
import type { LiveDecision, Subject } from "./subject.ts";

export class Asking {
  #decisions: (LiveDecision | { readonly note: string } | undefined)[] = [];
  /**
   * The number of requests for which nginx returned a decision, and of those for which it could
   * not.
   */
  readonly counts = { asked: 0, notes: 0 };

  readonly before = async (request: RequestStep, { decided }: Subject): Promise<void> => {
    const asked = askedOf(request);
    this.#decisions.push(asked && (await decided?.(asked)));
  };

  /** Returns the disagreements in the requests of the case since the last call. */
  mistakes(wanted: Case, answers: readonly Answer[]): readonly string[] {
    const decisions = this.#decisions;
    this.#decisions = [];
    return decisions.flatMap((decided, at) => {
      if (decided === undefined) return [];
      if ("note" in decided) {
        this.counts.notes += 1;
        return [];
      }
      this.counts.asked += 1;
      const { live, matched } = decided;
      const answer = answers[at]!;
      const misfits = outcomesOf(answer).filter(
        ([status, backend]) => !fits(live, status, backend, ofBackend(wanted.requests[at]!)),
      );
      return [
        ...misfits.map(
          ([status, backend]) => `${answer.request}: ${status} ${backend}, nginx decided ${inWords(live)}`,
        ),
        ...(isSame(live, matched)
          ? []
          : [`${answer.request}: nginx says ${inWords(live)}, the matcher ${inWords(matched)}`]),
      ];
    });
  }
}

/** If only nginx can apply a pattern, the matcher decides nothing. */
function isSame(live: Decision, matched: Decision): boolean {
  if (matched.end.kind === "unclear" || live.end.kind === "unclear") return true;
  const routeOf = ({ host, path }: Decision) =>
    JSON.stringify([
      host?.server.name,
      path?.kind === "location" ? [path.route.match, path.route.path, path.route.location] : path?.kind,
    ]);
  return routeOf(live) === routeOf(matched) && inWords(live) === inWords(matched);
}

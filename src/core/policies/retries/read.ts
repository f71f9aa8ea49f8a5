/**
 * Reads the retries of a rule. A pause between two tries needs a jump inside nginx. nginx allows
 * ten jumps for one request, and the way to the backend is the first.
 */
import { durationMs } from "../../kinds/gateway/duration.ts";
import { shown } from "../../kinds/kind.ts";
import { type RetriedStatus, retriedStatuses } from "../../model/filters.ts";
import type { ObjectName, Problem } from "../../model/problem.ts";
import type { RuleFieldRead, RuleFields } from "../declare.ts";

/** The default number of retries, which is that of Gateway API 1.7. */
const usualAttempts = 1;
/** The most retries with a pause. */
const mostJumps = 9;
/**
 * The most retries without a pause. With more, a request that fails at once would keep a worker
 * busy.
 */
const mostAttempts = 100;

/** Reads the retries. `field` is that of the rule. */
export function retriesOf({ retry }: RuleFields, field: string, object: ObjectName): RuleFieldRead | undefined {
  if (retry === undefined) return undefined;
  const { codes = [], attempts = usualAttempts, backoff = "0s" } = retry;
  const no = (part: string, why: string): RuleFieldRead => ({ ok: false, part, why });
  const pause = durationMs(backoff);
  if (pause === undefined) return no(".retry.backoff", `${shown(backoff)} is not a duration like 500ms, 10s or 1h30m`);
  if (!Number.isInteger(attempts) || attempts < 0) {
    return no(".retry.attempts", `${shown(String(attempts))} is not a whole number from 0`);
  }
  const wrong = codes.findIndex((code) => !Number.isInteger(code) || code < 400 || code > 599);
  if (wrong >= 0) return no(`.retry.codes[${wrong}]`, `${shown(String(codes[wrong]))} is not a status from 400 to 599`);
  const notes: Problem[] = [];
  const note = (part: string, why: string, done: string) =>
    notes.push({ object, kind: "value-unsupported", field: `${field}.retry.${part}`, why, done });
  const served = codes.filter(isRetried);
  const others = codes.filter((code) => !isRetried(code));
  if (others.length > 0) {
    const why = `nginx can try a request again after ${retriedStatuses.join(", ")}, and not after ${others.join(", ")}`;
    note("codes", why, `answers with ${others.join(", ")} go to the client`);
  }
  const most = pause > 0 ? mostJumps : mostAttempts;
  if (attempts > most) {
    const why = `nginx makes at most ${most} retries for one request${pause > 0 ? " with a pause before each" : ""}, and ${attempts} are asked for`;
    note("attempts", why, `${most} are made`);
  }
  const sorted = [...new Set(served)].sort((one, other) => one - other);
  const retries = { attempts: Math.min(attempts, most), codes: sorted, backoff: pause };
  return { ok: true, filtersAt: () => ({ retries }), notes };
}

function isRetried(code: number): code is RetriedStatus {
  return retriedStatuses.some((one) => one === code);
}

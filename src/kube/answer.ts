/**
 * The outcome of a request to the API server. A refusal is an ordinary answer and travels as a
 * value. Its `reason` is the word that Kubernetes uses, or one of five more for requests that never
 * reached a server or got an unreadable answer.
 */
import { bugWords } from "../base/guarded.ts";

export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: ApiFailure };

export interface ApiFailure {
  /**
   * A StatusReason of the API (`NotFound`, `Conflict`, `Forbidden`, `Expired` ...), or one of
   * `ownReasons`.
   */
  readonly reason: string;
  /** The HTTP status, 0 when there was none. */
  readonly code: number;
  /** A sentence for people. */
  readonly message: string;
  /** The time for which clients should wait, as the server requests. */
  readonly retryAfterMs?: number;
  /** `details.causes[].reason` of the Status. */
  readonly causes?: readonly string[];
}

/** Reasons that no API server gives. */
export const ownReasons = {
  /** The connection could not be opened, or it broke. */
  unreachable: "Unreachable",
  /** No data arrived for too long. */
  silent: "Silent",
  /** The answer does not have the form of the API. */
  unreadable: "Unreadable",
  /** The caller's signal aborted the request. */
  aborted: "Aborted",
  /** Sluice itself failed. */
  bug: "Bug",
} as const;

export const succeeded = <T>(value: T): Answer<T> => ({ ok: true, value });
export const failed = (failure: ApiFailure): { readonly ok: false; readonly failure: ApiFailure } => ({
  ok: false,
  failure,
});

/** Returns a failure with one of the reasons above. */
export const ownFailure = (reason: keyof typeof ownReasons, message: string): ApiFailure => ({
  reason: ownReasons[reason],
  code: 0,
  message,
});

/** Returns a failure of this program as a value, so that work on everything else can go on. */
export const bugFailure = (bug: Error): ApiFailure =>
  ownFailure("bug", `Sluice failed on it (${bugWords(bug)}), which is a bug in Sluice: please report it`);

/**
 * Whether the requested resourceVersion is gone, or the server has not reached it yet: only a new
 * list helps.
 */
export function isVersionLost(failure: ApiFailure): boolean {
  const tooLarge = failure.causes?.includes("ResourceVersionTooLarge") ?? false;
  return failure.code === 410 || failure.reason === "Expired" || failure.reason === "Gone" || tooLarge;
}

/**
 * Whether the server refuses permanently (no right, or no such kind), so that trying again soon
 * changes nothing.
 */
export const isDenied = (failure: ApiFailure): boolean => failure.code === 403 || failure.code === 404;

interface Status {
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string }[];
  };
}

/** A proxy in between may name any time, so a longer one is not waited for. */
const mostRetrySeconds = 60;

/**
 * Reads the `Status` object of a refusal. For any other body, such as a proxy's page, only the HTTP
 * status is known.
 */
export function failureFromStatus(code: number, body: unknown, retryAfterHeader?: string): ApiFailure {
  const status: Status = typeof body === "object" && body !== null ? body : {};
  const seconds = status.details?.retryAfterSeconds ?? Number(retryAfterHeader ?? Number.NaN);
  const causes = status.details?.causes?.flatMap((cause) => cause.reason ?? []);
  return {
    reason: status.reason || `Status${code}`,
    code: status.code ?? code,
    message: status.message ?? `the server answered ${code}`,
    ...(seconds > 0 ? { retryAfterMs: Math.min(seconds, mostRetrySeconds) * 1000 } : {}),
    ...(causes ? { causes } : {}),
  };
}

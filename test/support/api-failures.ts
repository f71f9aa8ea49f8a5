/**
 * Failures of an API server after which a test repeats its request. A busy server may lose a
 * connection or answer 500 while it allocates an address, and neither is a decision about the
 * request.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ApiFailure } from "../../src/kube/index.ts";

/** Returns whether the status is a decision. Lost connections, conflicts, 429 and 5xx may pass. */
export function isRefusal({ code }: Pick<ApiFailure, "code">): boolean {
  return code >= 400 && code < 500 && code !== 409 && code !== 429;
}

const passing = [
  /Error from server \((InternalError|Timeout|ServerTimeout|ServiceUnavailable|TooManyRequests)\)/,
  /^Error from server: (etcdserver|context deadline|rpc error)/m,
  /Unable to connect to the server|was refused - did you specify|unexpected EOF|connection reset by peer/,
  /TLS handshake timeout|i\/o timeout|http2: |currently unable to handle the request/,
];

/**
 * Returns whether kubectl's message is a failure that may pass. A webhook that fails is the result
 * that a test wants.
 */
export const mayPass = (message: string): boolean =>
  !message.includes("webhook") && passing.some((words) => words.test(message));

/** Returns whether the message shows that an earlier try has succeeded. */
export function isDone(verb: string, message: string): boolean {
  if (verb === "create") return message.includes("(AlreadyExists)");
  return verb === "delete" && message.includes("(NotFound)");
}

const patienceMs = 60_000;
const pauseMs = 200;

/** Runs kubectl with these arguments, and again for a while if a failure may pass. */
export async function untilDecided(
  [verb = ""]: readonly string[],
  run: () => Promise<string>,
  now = () => performance.now(),
): Promise<string> {
  const since = now();
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await run();
    } catch (error) {
      const message = String((error as { readonly stderr?: unknown }).stderr ?? error);
      if (!isFirst && isDone(verb, message)) return "";
      if (!mayPass(message) || now() - since > patienceMs) throw error;
    }
    await delay(pauseMs);
  }
}

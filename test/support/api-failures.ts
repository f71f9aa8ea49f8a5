/**
 * Failures of an API server that a test asks again about. A busy server may lose a connection or
 * answer 500 while it allocates an address, and that is no decision about the request.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ApiFailure } from "../../src/kubernetes/index.ts";

/** Lost connections, conflicts, 429 and 5xx may pass; the server decided any other status. */
export function isRefusal({ code }: Pick<ApiFailure, "code">): boolean {
  return code >= 400 && code < 500 && code !== 409 && code !== 429;
}

const passing = [
  /Error from server \((InternalError|Timeout|ServerTimeout|ServiceUnavailable|TooManyRequests)\)/,
  /^Error from server: (etcdserver|context deadline|rpc error)/m,
  /Unable to connect to the server|was refused - did you specify|unexpected EOF|connection reset by peer/,
  /TLS handshake timeout|i\/o timeout|http2: |currently unable to handle the request/,
];

/** Whether kubectl's message is such a failure. A webhook that fails is what a test asks for. */
export const mayPass = (message: string): boolean =>
  !message.includes("webhook") && passing.some((words) => words.test(message));

/** Whether an earlier try that seemed to fail has done what the command asks for. */
export function isDone(verb: string, message: string): boolean {
  if (verb === "create") return message.includes("(AlreadyExists)");
  return verb === "delete" && message.includes("(NotFound)");
}

const patienceMs = 60_000;
const pauseMs = 200;

/** Runs kubectl with these arguments, and again for a while where a failure may pass. */
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

/**
 * Sends reviews to a webhook as an API server does, over kept connections. It is a thread of its
 * own, so that its work does not count as the webhook's. For each `Asked` message it returns the
 * times of the answers in ms.
 */
import { once } from "node:events";
import { Agent, request } from "node:https";
import { parentPort } from "node:worker_threads";

export interface Asked {
  readonly port: number;
  readonly bodies: readonly string[];
  readonly atOnce: number;
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

parentPort?.on("message", async ({ port, bodies, atOnce }: Asked) => {
  const tookMs: number[] = [];
  for (let at = 0; at < bodies.length; at += atOnce)
    tookMs.push(...(await Promise.all(bodies.slice(at, at + atOnce).map((body) => ask(port, body)))));
  parentPort?.postMessage(tookMs);
});

async function ask(port: number, body: string): Promise<number> {
  const begun = performance.now();
  const asked = request({ port, method: "POST", agent });
  asked.end(body);
  const [response] = await once(asked, "response");
  response.resume();
  await once(response, "end");
  return performance.now() - begun;
}

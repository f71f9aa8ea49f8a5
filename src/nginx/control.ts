/**
 * Asks the running nginx which configuration it serves, and announces its end. An answer comes from
 * whichever worker accepted the connection, so it proves only that some worker has the new
 * configuration: `reload.ts` also looks at the old workers.
 */
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { callback } from "../base/callbacks.ts";
import type { Pass } from "./pass.ts";

export class Control {
  readonly #socketPath: string;
  readonly #pass: Pass;

  /** `pass` is the password of the program that runs nginx. */
  constructor(socketPath: string, pass: Pass) {
    this.#socketPath = socketPath;
    this.#pass = pass;
  }

  /**
   * Returns the hash of the configuration, or undefined if nginx does not answer within
   * `limitMs`.
   */
  generation(limitMs = 1_000): Promise<string | undefined> {
    return this.#ask("/generation", limitMs);
  }

  /**
   * Makes nginx close each connection after its next answer. It still accepts connections. It has
   * no effect without Lua, or if nginx does not answer within `limitMs`.
   */
  async closeConnections(limitMs = 1_000): Promise<void> {
    await this.#ask("/closing", limitMs);
  }

  #ask(path: string, limitMs: number): Promise<string | undefined> {
    return new Promise((resolve) => {
      const sent = request({
        socketPath: this.#socketPath,
        path,
        headers: { authorization: this.#pass.authorization },
        agent: false,
        signal: AbortSignal.timeout(limitMs),
      });
      sent.on("error", () => resolve(undefined));
      sent.on(
        "response",
        callback("the answer of nginx", (response: IncomingMessage) => {
          const answer =
            response.statusCode === 200 ? text(response) : Promise.resolve(response.resume()).then(() => "");
          answer.then((body) => resolve(body.trim() || undefined)).catch(() => resolve(undefined));
        }),
      );
      sent.end();
    });
  }
}

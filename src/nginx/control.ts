/**
 * Asks the running nginx which configuration it serves, and announces its end. An answer comes from
 * whichever worker accepted the connection, so it proves only that some worker has the new
 * configuration: `reload.ts` also looks at the old workers.
 */
import type { Pass } from "./pass.ts";
import { SocketClient, type SocketClientOptions } from "./socket-client.ts";

export class Control {
  readonly #place: Pick<SocketClientOptions, "socketPath" | "pass">;

  /** `pass` is the password of the program that runs nginx. */
  constructor(socketPath: string, pass: Pass) {
    this.#place = { socketPath, pass };
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

  /** Opens a connection of its own, so that any worker may answer. */
  async #ask(path: string, limitMs: number): Promise<string | undefined> {
    const client = new SocketClient({ ...this.#place, connections: 1, mostBytes: 1_000 });
    try {
      const { status, text } = await client.send({ path, signal: AbortSignal.timeout(limitMs) });
      return (status === 200 && text.trim()) || undefined;
    } catch {
      return undefined;
    } finally {
      client.close();
    }
  }
}

/**
 * Measures the bytes of live objects in another Node process through its inspector. The resident
 * size of a process varies by half with garbage that was not collected yet, so it would hide a leak
 * for an hour.
 */
const port = 9_339;

/** Options of Node for a process whose objects will be counted. */
export const inspected: readonly string[] = [`--inspect=127.0.0.1:${port}`];

interface Answer {
  readonly id: number;
  readonly result?: { readonly usedSize?: number };
}

export class LiveObjects {
  readonly #socket: WebSocket;
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(): Promise<LiveObjects> {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
    const [{ webSocketDebuggerUrl }] = (await answer.json()) as [{ readonly webSocketDebuggerUrl: string }];
    const socket = new WebSocket(webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    return new LiveObjects(socket);
  }

  /**
   * Collects garbage twice before it measures, because the first collection only finds the objects
   * that the second can free.
   */
  async megabytes(): Promise<number> {
    await this.#ask("HeapProfiler.collectGarbage");
    await this.#ask("HeapProfiler.collectGarbage");
    return (await this.#ask("Runtime.getHeapUsage")).result!.usedSize! / 2 ** 20;
  }

  close(): void {
    this.#socket.close();
  }

  #ask(method: string): Promise<Answer> {
    const id = ++this.#id;
    return new Promise((resolve) => {
      const listener = ({ data }: MessageEvent) => {
        const answer = JSON.parse(String(data)) as Answer;
        if (answer.id !== id) return;
        this.#socket.removeEventListener("message", listener);
        resolve(answer);
      };
      this.#socket.addEventListener("message", listener);
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }
}

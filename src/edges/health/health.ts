/**
 * Decides whether this controller should get traffic, and whether a restart would help it. It is
 * ready from the time when nginx serves a configuration of Sluice until the program begins to end.
 * A refused configuration changes nothing, because nginx goes on with the last good one. The names
 * of the checks and the form of the answer are those of ingress-nginx.
 */

export interface HealthParts {
  /**
   * Returns the reason why nginx does not serve, or undefined. It is called at every check, so it
   * has to be fast.
   */
  readonly nginx: () => Promise<string | undefined>;
  /** Returns the reason why this program should be started again, or undefined. */
  readonly stuck: () => Promise<string | undefined>;
  /**
   * Returns faults that do not stop the controller from serving. `?verbose` prints them, and the
   * check still passes.
   */
  readonly notes: () => readonly string[] | Promise<readonly string[]>;
}

export interface HealthAnswer {
  readonly status: 200 | 500;
  readonly body: string;
}

export class Health {
  readonly #parts: HealthParts;
  #ending = false;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** Makes the controller not ready from now on. */
  end(): void {
    this.#ending = true;
  }

  /**
   * Returns the answer for a liveness probe. A program that ends, or that waits for the API server,
   * is alive: a restart would only make it wait longer.
   */
  async alive(): Promise<HealthAnswer> {
    const why = this.#ending ? undefined : await this.#parts.stuck();
    return why === undefined ? { status: 200, body: "ok" } : { status: 500, body: `${why}\n` };
  }

  /** Returns for each check, by its name, whether it passes. */
  async checks(): Promise<Readonly<Record<string, boolean>>> {
    const results = Object.entries(this.#checks).map(async ([name, check]) => [name, (await check()) === undefined]);
    return Object.fromEntries(await Promise.all(results));
  }

  /**
   * Returns the answer to a request. `only` is the name of one check, or undefined for all;
   * `exclude` skips checks. Returns undefined if there is no such check.
   */
  async answer(
    only: string | undefined,
    exclude: ReadonlySet<string>,
    verbose: boolean,
  ): Promise<HealthAnswer | undefined> {
    const names = Object.keys(this.#checks).filter(
      (name) => (only === undefined || name === only) && !exclude.has(name),
    );
    if (only !== undefined && !Object.hasOwn(this.#checks, only)) return undefined;
    const results = await Promise.all(names.map(async (name) => [name, await this.#checks[name]!()] as const));
    const good = results.every(([, why]) => why === undefined);
    const lines = results.map(([name, why]) => (why === undefined ? `[+]${name} ok` : `[-]${name} failed: ${why}`));
    if (good && !verbose) return { status: 200, body: "ok" };
    const notes = only === undefined ? (await this.#parts.notes()).map((note) => `[!]${note}`) : [];
    return {
      status: good ? 200 : 500,
      body: [...lines, ...notes, `healthz check ${good ? "passed" : "failed"}`, ""].join("\n"),
    };
  }

  readonly #checks: Readonly<Record<string, () => Promise<string | undefined>>> = {
    ping: async () => undefined,
    "nginx-ingress-controller": async () =>
      this.#ending ? "the controller is shutting down" : await this.#parts.nginx(),
  };
}

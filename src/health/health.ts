/**
 * Whether this controller should get traffic. It is not ready before nginx serves a configuration
 * of ours and not after the program was asked to end. A configuration that nginx refused changes
 * nothing, because the last good one goes on being served. The names of the checks and the form of
 * the answer are those of ingress-nginx.
 */

export interface HealthParts {
  /** Why nginx does not serve, or undefined. Asked at every check, so it must be quick. */
  readonly nginx: () => Promise<string | undefined>;
  /**
   * Faults beside which it still serves: printed with `?verbose`, and no reason to be unhealthy.
   */
  readonly notes: () => readonly string[];
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

  /** From now on the answer is no. */
  end(): void {
    this.#ending = true;
  }

  /** Whether each check passes, by its name. */
  async checks(): Promise<Readonly<Record<string, boolean>>> {
    const results = Object.entries(this.#checks).map(async ([name, check]) => [name, (await check()) === undefined]);
    return Object.fromEntries(await Promise.all(results));
  }

  /**
   * `only` is one check's name, or undefined for all; `exclude` leaves checks out. Undefined: there
   * is no such check.
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
    const notes = only === undefined ? this.#parts.notes().map((note) => `[!]${note}`) : [];
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

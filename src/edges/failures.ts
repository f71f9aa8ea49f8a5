/**
 * The failures of backends: the last error of each endpoint in nginx's words, and the last failed
 * requests of each route. nginx writes its errors to a file of the run folder as well, wherever the
 * operator sends its log; workers hand over failed requests with their counts (count.lua). Both are
 * collected every two seconds and are bounded, so a broken Service cannot fill the memory.
 */

/** The last error of an endpoint. */
export interface EndpointFailure {
  /** `connect() failed (111: Connection refused) while connecting to upstream`. */
  readonly words: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Errors since the first one that is kept. */
  readonly count: number;
}

/** A request that was answered with 5xx. */
export interface FailedRequest {
  readonly at: number;
  readonly method: string;
  readonly status: string;
  readonly seconds: number;
  /** The time of each try on an endpoint; empty if nginx answered without one. */
  readonly tries: readonly string[];
  /** Whether the status is that of the backend. Otherwise nginx made it. */
  readonly byBackend: boolean;
}

/** The route of a request, by the labels of its counts. */
export interface CountedRoute {
  readonly host: string;
  /** `namespace/name` of the Ingress, or of the route. */
  readonly owner: string;
  readonly path: string;
}

/** Why an endpoint failed, for a metric whose labels cannot grow. */
const reasons = [
  ["refused", /Connection refused/],
  ["timeout", /timed out/],
  ["tls", /SSL|certificate/],
  ["reset", /reset by peer|Broken pipe/],
  ["closed", /prematurely closed/],
  ["header", /invalid header|no valid|too big header/],
  ["unreachable", /No route to host|unreachable/],
] as const;

/** After this time without a failure, an endpoint and its routes count as sound again. */
const failingMs = 60_000;
const mostEndpoints = 2_000;
const mostRoutes = 1_000;
const keptRequests = 5;

export class Failures {
  readonly #now: () => number;
  /** Both have the latest failure last. */
  readonly #endpoints = new Map<string, EndpointFailure>();
  readonly #routes = new Map<string, readonly FailedRequest[]>();
  readonly #counts = new Map<string, number>(["other", ...reasons.map(([name]) => name)].map((name) => [name, 0]));
  #revision = 0;
  #latest = Number.NEGATIVE_INFINITY;

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes lines of nginx's error log. */
  errors(text: string): void {
    for (const line of text.split("\n")) {
      const { address, words } = readError(line) ?? {};
      if (address === undefined || words === undefined) continue;
      const reason = reasons.find(([, pattern]) => pattern.test(words))?.[0] ?? "other";
      this.#counts.set(reason, this.#counts.get(reason)! + 1);
      this.#put(this.#endpoints, mostEndpoints, address, (known?: EndpointFailure) => ({
        words,
        at: this.#now(),
        count: (known?.count ?? 0) + 1,
      }));
    }
  }

  request(route: CountedRoute, failed: Omit<FailedRequest, "at">): void {
    this.#put(this.#routes, mostRoutes, keyOf(route), (known: readonly FailedRequest[] = []) =>
      [{ ...failed, at: this.#now() }, ...known].slice(0, keptRequests),
    );
  }

  /** `address` is `192.0.2.1:80` or `[2001:db8::1]:80`. */
  of(address: string): EndpointFailure | undefined {
    return this.#endpoints.get(address);
  }

  /** Returns the last failed requests of a route, the newest first. */
  requests(route: CountedRoute): readonly FailedRequest[] {
    return this.#routes.get(keyOf(route)) ?? [];
  }

  /** Whether one of its requests or endpoints has failed in the last minute. */
  isFailing(route: CountedRoute, addresses: readonly string[]): boolean {
    const all = [this.requests(route)[0], ...addresses.map((address) => this.of(address))];
    return all.some((failure) => failure !== undefined && failure.at > this.#now() - failingMs);
  }

  /** Whether nothing has failed in the last minute. */
  get isQuiet(): boolean {
    return this.#latest <= this.#now() - failingMs;
  }

  /** Describes the last error of each endpoint that has one, and the last failed requests. */
  words(route: CountedRoute, addresses: readonly string[]): { readonly errors: string[]; readonly requests: string[] } {
    const now = this.#now();
    const errors = addresses.flatMap((address) => {
      const failure = this.of(address);
      return failure === undefined ? [] : [`${address}: ${endpointWords(failure, now)}`];
    });
    return { errors, requests: this.requests(route).map((one) => requestWords(one, now)) };
  }

  /** Errors by reason since the start of the controller. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** A number that is different if another route or endpoint may be failing. */
  get revision(): number {
    return this.#revision + Math.floor(this.#now() / failingMs);
  }

  #put<T>(map: Map<string, T>, most: number, key: string, next: (known?: T) => T): void {
    const known = map.get(key);
    map.delete(key);
    map.set(key, next(known));
    if (map.size > most) map.delete(map.keys().next().value!);
    this.#revision++;
    this.#latest = this.#now();
  }
}

/** Returns the key of a route by its labels. */
export const keyOf = ({ host, owner, path }: CountedRoute): string => `${host}\0${owner}\0${path}`;

const upstreamIn = /, client: .*?, upstream: "\w+:\/\/(unix:[^:"]*|\[[^\]"]*\]:\d+|[^/"]+)/;

/**
 * Reads a line of nginx about an endpoint. Text of a backend or a client may stand in the line in
 * quotes, so quotes are left out, and a line that names two endpoints is not believed.
 */
function readError(line: string): { readonly address: string; readonly words: string } | undefined {
  const [, words = ""] = /^\S+ \S+ \[\w+\] \d+#\d+: \*\d+ (.*?), client: /.exec(line) ?? [];
  if (words === "" || line.split(', upstream: "').length !== 2) return undefined;
  const address = upstreamIn.exec(line)?.[1];
  return address === undefined ? undefined : { address, words: words.replace(/ ?"[^"]*"?/g, "").slice(0, 200) };
}

/**
 * Reads a line of count.lua about a failed request: the status, three times of nginx's variables,
 * and the labels. After a colon stand tries of the backend that writes error pages.
 */
export function readFailed(status: string, times: readonly string[], method: string): Omit<FailedRequest, "at"> {
  const [whole = "", response = "", header = ""] = times;
  const items = (text: string) => (text === "" || text === "-" ? [] : text.split(" : ")[0]!.split(", "));
  const tries = items(response);
  const byBackend = /\d/.test(items(header).at(-1) ?? "");
  return { method, status, seconds: Number(whole), tries, byBackend };
}

/** Describes an error of an endpoint: `Connection refused ..., 12 times, last 3 s ago`. */
export function endpointWords({ words, at, count }: EndpointFailure, now: number): string {
  return `${words}${count === 1 ? "," : `, ${count} times, last`} ${agoWords(now - at)}`;
}

/** Describes a failed request, such as `GET 500 after 0.1 s from the backend ...`. */
export function requestWords({ method, status, seconds, tries, byBackend, at }: FailedRequest, now: number): string {
  const tried = `${tries.length === 1 ? "the try" : `${tries.length} tries`} took ${tries.join(", ")} s`;
  const by = byBackend ? "from the backend" : "from nginx, which got no answer";
  const none = "from nginx, without asking a backend";
  const who = tries.length === 0 ? none : `${by} (${tried})`;
  return `${method} ${status} after ${seconds} s ${who}, ${agoWords(now - at)}`;
}

function agoWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}

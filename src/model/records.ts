/**
 * The protocol of the records in nginx's shared memory: which kinds there are, how their keys are
 * made, in which order they are published, and which fields the JSON of each has. The Lua in
 * `nginx/lua` reads them; `records.test.ts` holds it to this.
 */

/** `host a.example`: the kind of the record and its id. */
export type RecordKey = string;

/** A record by key; undefined where it must be removed. */
export type RecordChange = readonly [key: RecordKey, value: string | undefined];

export const hostKey = (name: string): RecordKey => `host ${name}`;
export const upstreamKey = (id: string): RecordKey => `upstream ${id}`;
/** All aliases that are no exact names. */
export const patternsKey: RecordKey = "patterns";
/**
 * The listeners of a ListenerPort, by the address and port that nginx accepted the connection on;
 * the address is empty where it listens on all, and the port where the address is a socket's path.
 */
export const scopeKey = (address: string, port: number | ""): RecordKey => `scope ${address}:${port}`;
/** A host as it would be if its routes in shadow served, by the `serverKey` of that host. */
export const shadowRecordKey = (host: string): RecordKey => `shadow ${host}`;
/** The pair for a server name. */
export const sniKey = (name: string): RecordKey => `sni ${name}`;
/** A certificate chain and its key. */
export const pairKey = (id: string): RecordKey => `pair ${id}`;
/** The OCSP answer of a pair, by its fingerprint. */
export const stapleKey = (fingerprint: string): RecordKey => `staple ${fingerprint}`;
/** The endpoints of a pool of streams, for which nginx asks the controller; no Lua reads them. */
export const streamKey = (pool: string): RecordKey => `stream ${pool}`;
/** The earlier versions of a record that are kept beside it. */
export const replacedKey = (key: RecordKey): RecordKey => `before ${key}`;
/** Names the controller whose records these are. */
export const instanceKey: RecordKey = "instance";

/** The first word of the key. */
export function kindOf(key: RecordKey): string {
  return key.slice(0, key.indexOf(" "));
}

/** Whether the record is a host, which requests are routed by. */
export function isRoute(key: RecordKey): boolean {
  return kindOf(key) === "host";
}

/** Whether the record holds earlier versions of another one. */
export function isReplaced(key: RecordKey): boolean {
  return kindOf(key) === "before";
}

/** The key of the record whose earlier versions are under `key`. */
export function replacedBy(key: RecordKey): RecordKey {
  return key.slice(replacedKey("").length);
}

/**
 * Whether a request that was routed, or a handshake that has found its name, looks the record up
 * later.
 */
export function isLookedUpLater(key: RecordKey): boolean {
  return ["upstream", "pair"].includes(kindOf(key));
}

/**
 * Whether other records name it, replaced ones among them. All other records are found by what a
 * client sends.
 */
export function isNamed(key: RecordKey): boolean {
  return isLookedUpLater(key) || kindOf(key) === "staple";
}

/** A record comes after those that it names. */
const order = ["pair", "staple", "sni", "upstream", "stream", "host", "shadow", "scope"];

/**
 * Orders changes: what a request can meet is there before the record that names it, and is removed
 * after that.
 */
export function inOrder(changes: readonly RecordChange[]): RecordChange[] {
  const rank = ([key, value]: RecordChange) => {
    const at = order.indexOf(kindOf(key));
    return value === undefined ? 2 * order.length - at : at;
  };
  return [...changes].sort((a, b) => rank(a) - rank(b));
}

/**
 * One of the endpoints in the JSON of a stream: an IP literal, IPv6 without brackets, and a weight
 * of 16 bits.
 */
export type StreamEndpoint = readonly [address: string, port: number, weight: number];

/** The fields of each JSON object in a record. */
export const recordFields = {
  /**
   * A host, an alias of it (`as`) or its www twin (`to`); `pattern` is there for a host of a
   * listener alone.
   */
  host: [
    "tls",
    "locations",
    "root",
    "parent",
    "exact",
    "prefix",
    "slash",
    "regex",
    "pattern",
    "certificate",
    "as",
    "to",
  ],
  location: [
    ...["shape", "upstream", "limit", "namespace", "ingress", "service", "port", "path", "closed", "variables"],
    ...["canaries", "standIn", "sticky", "rewritesLate"],
    ...["route", "rule", "backends", "unusable", "filters", "settings", "share"],
  ],
  /**
   * Values of annotations for a rule of a route beyond its text. `rewrite` is like an item of a
   * host's `regex`.
   */
  settings: ["standIn", "rewrite", "sticky"],
  /** One of several backends of a location, or one with a word in its requests. */
  backend: ["upTo", "shape", "upstream", "service", "port", "unusable", "filters", "session"],
  /**
   * Changes that a route makes before a request jumps to its text; `steering` is the JSON of what
   * it does afterwards.
   */
  filters: ["redirect", "cors", "rewrite", "request", "attempt", "retries", "backoff", "auth", "steering"],
  /**
   * The service that is asked before a request passes, and the path of the question; `body` is the
   * most that is sent of a body.
   */
  question: ["upstream", "path", "body"],
  redirect: ["scheme", "hostname", "path", "port", "status"],
  rewrite: ["hostname", "path"],
  steering: ["requests", "answers", "cors", "mirrors", "session", "auth"],
  /** `cookie` or `header` is its name, and `variable` what nginx calls what came by that name. */
  session: ["variable", "binding", "cookie", "header", "path", "seconds", "permanent"],
  changes: ["set", "add", "remove"],
  cors: ["any", "origins", "pattern", "credentials", "methods", "headers", "expose", "maxAge"],
  /** One of several routes with one path: all of it has to fit. */
  choice: ["location", "method", "headers", "query", "call"],
  /** A ListenerPort. With `addresses` the same port has others, each for one address. */
  scope: ["port", "usual", "tls", "exact", "wildcard", "any", "addresses"],
  /**
   * With `shadow` some of its hosts have routes in shadow; with `yields` an Ingress has the
   * certificate of its hostname.
   */
  listener: ["id", "name", "gateway", "pairs", "shadow", "yields"],
  standIn: ["upstream", "shape"],
  canary: ["upstream", "header", "value", "pattern", "cookie", "share"],
  upstream: ["label", "endpoints", "balance"],
  balance: [
    ...["algorithm", "parts", "subset", "name", "variable", "binding", "path", "domain", "expires", "max_age"],
    ...["same_site", "conditional", "secure", "change_on_failure"],
  ],
  pair: ["fingerprint", "chain", "key"],
  patterns: ["leading", "trailing", "regex"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A JSON object of a record, of which empty fields are left out. */
export type Fields<K extends keyof typeof recordFields> = {
  readonly [F in (typeof recordFields)[K][number]]?: unknown;
};

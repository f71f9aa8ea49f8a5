/**
 * The protocol of the records in nginx's shared memory: their kinds, their keys, the order in which
 * they are published, and the fields of their JSON. The Lua in `nginx/lua` reads them, and
 * `records.test.ts` compares it with this file.
 */

/** `host a.example`: the kind of the record and its id. */
export type RecordKey = string;

/** A record's key and new value; undefined if the record must be removed. */
export type RecordChange = readonly [key: RecordKey, value: string | undefined];

export const hostKey = (name: string): RecordKey => `host ${name}`;
export const upstreamKey = (id: string): RecordKey => `upstream ${id}`;
/** The record of all aliases that are not exact names. */
export const patternsKey: RecordKey = "patterns";
/**
 * Returns the key of the record with the listeners of a ListenerPort, by the address and port on
 * which nginx accepted the connection. The address is empty if nginx listens on all, and the
 * port is empty if the address is a socket's path.
 */
export const scopeKey = (address: string, port: number | ""): RecordKey => `scope ${address}:${port}`;
/**
 * Returns the key of the record of a host as if its routes in shadow served. `host` is its
 * `serverKey`.
 */
export const shadowRecordKey = (host: string): RecordKey => `shadow ${host}`;
/** Returns the key of the record with the key pairs for a server name. */
export const sniKey = (name: string): RecordKey => `sni ${name}`;
/** Returns the key of the record with a certificate chain and its key (pair-record.ts). */
export const pairKey = (id: string): RecordKey => `pair ${id}`;
/** Returns the key of the record with the OCSP answer of a key pair, which has this fingerprint. */
export const stapleKey = (fingerprint: string): RecordKey => `staple ${fingerprint}`;
/**
 * Returns the key of the record with the endpoints of a pool of streams. Lua does not read it:
 * nginx queries the controller for these endpoints.
 */
export const streamKey = (pool: string): RecordKey => `stream ${pool}`;
/** Returns the key of the record with earlier versions of another record. */
export const replacedKey = (key: RecordKey): RecordKey => `before ${key}`;
/**
 * Increase it with any change of a record's meaning. A journal of another version is not read, and
 * nginx's memory of another version has another name: the workers of an older release keep theirs
 * until they end.
 */
export const recordsVersion = 3;

/** The record with the name of the controller that wrote all records. */
export const instanceKey: RecordKey = "instance";

/** Returns the first word of the key. */
export function kindOf(key: RecordKey): string {
  return key.slice(0, key.indexOf(" "));
}

/** Whether the record is a host, by which requests are routed. */
export function isRoute(key: RecordKey): boolean {
  return kindOf(key) === "host";
}

/** Whether the record holds earlier versions of another one. */
export function isReplaced(key: RecordKey): boolean {
  return kindOf(key) === "before";
}

/** Returns the key of the record whose earlier versions are under `key`. */
export function replacedBy(key: RecordKey): RecordKey {
  return key.slice(replacedKey("").length);
}

/**
 * Whether the record is looked up only after a request was routed, or after a handshake has found
 * its name.
 */
export function isLookedUpLater(key: RecordKey): boolean {
  return ["upstream", "pair"].includes(kindOf(key));
}

/**
 * Whether other records, or their earlier versions, refer to the record. All other records are
 * found by values that clients send.
 */
export function isNamed(key: RecordKey): boolean {
  return isLookedUpLater(key) || kindOf(key) === "staple";
}

/** The kinds of records, each after the kinds to which its records refer. */
const order = ["pair", "staple", "sni", "upstream", "stream", "host", "shadow", "scope"];

/** Orders changes: a record is set before the records that refer to it, and removed after them. */
export function inOrder(changes: readonly RecordChange[]): RecordChange[] {
  const rank = ([key, value]: RecordChange) => {
    // An nginx with the name of its controller has all records.
    const at = key === instanceKey ? order.length : order.indexOf(kindOf(key));
    return value === undefined ? 2 * (order.length + 1) - at : at;
  };
  return [...changes].sort((a, b) => rank(a) - rank(b));
}

/**
 * One of the endpoints in the JSON of a stream: an IP literal, IPv6 without brackets, and a weight
 * of 16 bits.
 */
export type StreamEndpoint = readonly [address: string, port: number, weight: number];

/** The fields of each JSON object in a record. Those of key pairs are in pair-record.ts. */
export const recordFields = {
  /**
   * A host, an alias of it (`as`) or its www twin (`to`). `list` has all paths but the exact ones
   * in their order, on a host with patterns. `root` is the target of redirects for exactly `/`, and
   * `parent` the text behind the label for which a wildcard stands. With `text`, only its own
   * server block may serve it, because that has settings of the whole host.
   */
  host: ["text", "tls", "locations", "root", "parent", "exact", "prefix", "list", "certificate", "as", "to"],
  /**
   * `rewrite` is like an item of a host's `list`. A location with `depth` is for hosts with one
   * label in place of the record's wildcard, and `to` is the target of a www twin. One with
   * `preflights` answers those of the requests that it would take.
   */
  location: [
    ...["shape", "upstream", "limit", "namespace", "ingress", "service", "port", "path", "closed", "variables"],
    ...["canaries", "standIn", "sticky", "rewritesLate"],
    ...["route", "rule", "backends", "unusable", "filters", "share", "rewrite", "depth", "to"],
    "preflights",
  ],
  /**
   * One of several backends of a location, or a single backend that has filters or sessions of its
   * own.
   */
  backend: ["upTo", "shape", "upstream", "service", "port", "unusable", "filters", "session"],
  /**
   * Changes that a route makes before a request jumps to its text. `steering` has the later
   * changes, as JSON.
   */
  filters: ["redirect", "cors", "rewrite", "request", "attempt", "retries", "backoff", "auth", "steering"],
  /**
   * The auth service that decides before a request passes, and the path of the subrequest. `body`
   * is the most bytes of a body that are sent.
   */
  question: ["upstream", "path", "body"],
  redirect: ["scheme", "hostname", "path", "port", "status"],
  rewrite: ["hostname", "path"],
  steering: ["requests", "answers", "cors", "mirrors", "late", "session", "auth"],
  /**
   * `cookie` or `header` is the name, and `variable` is nginx's variable with its value in the
   * request.
   */
  session: ["variable", "binding", "cookie", "header", "path", "seconds", "permanent"],
  changes: ["set", "add", "remove"],
  cors: ["any", "origins", "pattern", "credentials", "methods", "headers", "expose", "maxAge"],
  /**
   * One of several routes with the same path. All of its conditions have to hold. `slash` is the
   * path with the slash that has to be added.
   */
  choice: ["location", "slash", "method", "headers", "query", "call"],
  /**
   * A ListenerPort. With `addresses`, there are further ListenerPorts with this port, each for one
   * address.
   */
  scope: ["port", "usual", "tls", "exact", "wildcard", "any", "addresses"],
  /**
   * With `shadow`, some of its hosts have routes in shadow. With `yields`, an Ingress's certificate
   * is shown for its hostname.
   */
  listener: ["id", "name", "gateway", "pairs", "named", "shadow", "yields"],
  standIn: ["upstream", "shape"],
  canary: ["upstream", "header", "value", "pattern", "cookie", "share"],
  upstream: ["label", "endpoints", "balance"],
  balance: [
    ...["algorithm", "parts", "subset", "name", "variable", "binding", "path", "domain", "expires", "max_age"],
    ...["same_site", "conditional", "secure", "change_on_failure"],
  ],
  patterns: ["leading", "trailing", "regex"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A JSON object of a record, without its empty fields. */
export type Fields<K extends keyof typeof recordFields> = {
  readonly [F in (typeof recordFields)[K][number]]?: unknown;
};

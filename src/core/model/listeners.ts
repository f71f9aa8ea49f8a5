/**
 * The ports and listeners of Gateways. A ListenerPort is one scope of the route table: requests of
 * one scope never reach the hosts of another. Ports are text, because nginx listens on them;
 * everything else about listeners is data.
 */
import type { Owner } from "./owner.ts";

export interface ListenerPort {
  /**
   * Names the scope, without spaces: the Gateway and the port that clients see, `shop/public:443`.
   * It stays the same for as long as that Gateway has that port.
   */
  readonly id: string;
  /** The address on which nginx listens, IPv6 without brackets; undefined for all addresses. */
  readonly address: string | undefined;
  /** The port on which nginx listens. */
  readonly listenPort: number;
  /** The port that clients use, for redirects, forwarded headers and logs. */
  readonly port: number;
  /** The ports of redirects that name a scheme and no port; 80 and 443 if it is absent. */
  readonly usualPorts?: { readonly http: number; readonly https: number };
  readonly tls: boolean;
  /**
   * The certificates that clients of the port have to show in their handshakes; absent if they
   * need none.
   */
  readonly clients?: ClientValidation;
  /**
   * The Gateways and ListenerSets that have these listeners, in their order. Messages name them
   * when nginx cannot listen on the port.
   */
  readonly owners: readonly Owner[];
  /** At most one for each hostname. */
  readonly listeners: readonly Listener[];
}

export interface ClientValidation {
  /** A hash of all other fields. */
  readonly id: string;
  /** Certificates of authorities, in PEM. */
  readonly authorities: string;
  /** Whether a client without a valid certificate is let in nevertheless. */
  readonly lenient: boolean;
}

export interface Listener {
  /**
   * Without spaces, unique among all listeners: Gateway and name of the listener,
   * `shop/public/web`; with the ListenerSet that has it, `shop/public/team/more/web`.
   */
  readonly id: string;
  /** Its name for logs and metrics, with the ListenerSet that has it: `web` or `team/more/web`. */
  readonly name: string;
  /** `namespace/name` of its Gateway. */
  readonly gateway: string;
  /**
   * The hostname in lower case, or empty for all hosts. `*.example.com` stands for one or more
   * labels.
   */
  readonly hostname: string;
  /**
   * Ids of Certificates; the server name of a handshake chooses among them. Empty if the port
   * has no TLS.
   */
  readonly certificates: readonly string[];
  /** Settings that nginx reads in a server block; absent if the listener has none. */
  readonly own?: OwnServer;
}

/** Settings for the server block of a listener. Listeners of a port with the same ones share it. */
export interface OwnServer {
  /** A hash of the features. */
  readonly id: string;
  /** Values by feature, which only the renderer reads. */
  readonly features: Readonly<Record<string, unknown>>;
  /** The objects whose texts it contains. */
  readonly authors: readonly Owner[];
}

/**
 * The key of a Server and of a host's Claims: the host alone, or the listener and the host, with a
 * space between them.
 */
export type ServerKey = string;

export function serverKey({ listener, name }: { readonly listener?: string; readonly name: string }): ServerKey {
  return listener === undefined ? name : `${listener} ${name}`;
}

/** Takes a `serverKey` apart. */
export function partsOf(key: ServerKey): { readonly listener?: string; readonly name: string } {
  const at = key.indexOf(" ");
  return at < 0 ? { name: key } : { listener: key.slice(0, at), name: key.slice(at + 1) };
}

/** Returns the key of a host for its routes in shadow, which are not served. */
export function shadowKey(key: ServerKey): ServerKey {
  return key.replace(" ", "~ ");
}

/**
 * Returns the key of the host that is served, from the key of its shadow; undefined if the key
 * is not that of a shadow.
 */
export function servedKey(key: ServerKey): ServerKey | undefined {
  return key.includes("~ ") ? key.replace("~ ", " ") : undefined;
}

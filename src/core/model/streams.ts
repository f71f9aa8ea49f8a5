/**
 * The ports and targets of nginx's stream module for Gateways. Connections or datagrams arrive at a
 * StreamPort; its listeners say which names they take, and a GatewayStream has the target of each
 * name.
 */
import type { BackendTls } from "./backend-tls.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Owner } from "./owner.ts";

/**
 * The way in which a listener distinguishes its clients: not at all, or by the name that they send
 * at the start of TLS.
 */
export type StreamProtocol = "tcp" | "udp" | "tls";

/** Ports of one protocol, address and number. */
export interface StreamPort {
  /**
   * The Gateway and the port that clients use, without spaces: `shop/public:5432`, or for UDP
   * `shop/public:53/udp`.
   */
  readonly id: string;
  readonly protocol: StreamProtocol;
  /** The address on which nginx listens, IPv6 without brackets; undefined for all addresses. */
  readonly address: string | undefined;
  /** The port on which nginx listens. */
  readonly listenPort: number;
  /** The Gateways that have these listeners, oldest first. */
  readonly owners: readonly Owner[];
  /** For TLS at most one for each hostname; for other protocols exactly one. */
  readonly listeners: readonly StreamListener[];
  /** The hostnames of requests that share this port; absent if there are none. */
  readonly beside?: RequestsBeside;
}

/** Reads the id of a StreamPort: the Gateway, and the port that clients use. */
export function gatewayAndPort(id: string): { readonly gateway: string; readonly port: number } {
  const at = id.lastIndexOf(":");
  return { gateway: id.slice(0, at), port: Number.parseInt(id.slice(at + 1), 10) };
}

export interface RequestsBeside {
  /** Hostnames of HTTPS listeners. */
  readonly hostnames: readonly string[];
  /** Whether it is the port of Ingresses, which get all names that no listener takes. */
  readonly ingresses: boolean;
}

export interface StreamListener {
  /** Without spaces, unique among all listeners: `shop/public/db`. */
  readonly id: string;
  /** The name in lower case, or empty for all names and for clients that send none. */
  readonly hostname: string;
  /**
   * Ids of Certificates, where TLS ends here; undefined if it passes through, or if there is
   * none.
   */
  readonly certificates: readonly string[] | undefined;
}

/** A StreamPort with the backends of each name. */
export interface GatewayStream extends Omit<StreamPort, "listeners" | "beside"> {
  readonly kind: "gateway";
  /**
   * Other names are refused, or belong to requests. TCP and UDP have one host without a name, or
   * none.
   */
  readonly hosts: readonly StreamHost[];
  /**
   * Hostnames of requests that a wildcard among the hosts covers as well; the more specific name
   * counts. Absent if the port takes no requests.
   */
  readonly requests?: readonly string[];
}

export interface StreamHost {
  /**
   * The name in lower case, or empty for all names. A wildcard stands for one or more labels, and
   * the longest one that fits counts.
   */
  readonly hostname: string;
  /** The certificates, as in StreamListener. */
  readonly certificates: readonly string[] | undefined;
  /** The backends. If there are none, connections are refused. */
  readonly backends: readonly StreamBackend[];
  /** The route that has the name; absent if none has it. */
  readonly route?: Owner;
  /** The id of the listener that has the name; absent if it does not matter. */
  readonly listener?: string;
}

export interface StreamBackend {
  /** Its share of the connections is its weight among those of all backends of the host. */
  readonly weight: number;
  /** The Service as the route names it, `namespace/name:port`; empty if it cannot be used. */
  readonly service: string;
  /** The endpoints. If there are none, its share of connections is refused. */
  readonly endpoints: readonly Endpoint[];
  /** If it is given, connections to the backend use TLS and are verified. It has no `names`. */
  readonly tls?: BackendTls;
}

export type StreamServer =
  | {
      readonly kind: "tcp" | "udp";
      readonly port: number;
      /** The name for people: `tcp-namespace-service-port`. */
      readonly label: string;
      /** `namespace/service:port` as its owner wrote it; empty if it does not matter. */
      readonly service: string;
      /** The ConfigMap that names it; absent if it does not matter. */
      readonly owner?: Owner;
      /** At least one. */
      readonly endpoints: readonly Endpoint[];
      readonly acceptProxyProtocol: boolean;
      readonly sendProxyProtocol: boolean;
    }
  | {
      readonly kind: "passthrough";
      readonly host: string;
      /** `namespace/service:port`; empty if it does not matter. */
      readonly service: string;
      /** The Ingress that has the path `/` of the host; absent if it does not matter. */
      readonly owner?: Owner;
      readonly endpoints: readonly Endpoint[];
    }
  | GatewayStream;

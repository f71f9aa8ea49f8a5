/**
 * The ports and targets of nginx's stream module for Gateways. Connections or datagrams arrive at a
 * StreamPort; its listeners say which names they take, and a GatewayStream has the target of each
 * name.
 */
import type { BackendTls } from "./backend-tls.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Owner } from "./owner.ts";

/**
 * How a listener distinguishes its clients: not at all, or by the name that they send at the start
 * of TLS.
 */
export type StreamProtocol = "tcp" | "udp" | "tls";

/** Ports of one protocol, address and number. */
export interface StreamPort {
  /**
   * Without spaces; the Gateway and the port that clients see, `shop/public:5432`, and for UDP
   * `shop/public:53/udp`.
   */
  readonly id: string;
  readonly protocol: StreamProtocol;
  /** The address that nginx listens on, IPv6 without brackets; undefined: all addresses. */
  readonly address: string | undefined;
  /** The port that nginx listens on. */
  readonly listenPort: number;
  /** The Gateways whose listeners these are, oldest first. */
  readonly owners: readonly Owner[];
  /** One, where the protocol is not TLS; else at most one for each hostname. */
  readonly listeners: readonly StreamListener[];
  /** Requests that share this port, by their names; absent: there are none. */
  readonly beside?: RequestsBeside;
}

/** Reads the id of a StreamPort: the Gateway, and the port that clients see. */
export function gatewayAndPort(id: string): { readonly gateway: string; readonly port: number } {
  const at = id.lastIndexOf(":");
  return { gateway: id.slice(0, at), port: Number.parseInt(id.slice(at + 1), 10) };
}

export interface RequestsBeside {
  /** Hostnames of HTTPS listeners. */
  readonly hostnames: readonly string[];
  /** Whether it is the port of Ingresses. They have all names that no listener takes. */
  readonly ingresses: boolean;
}

export interface StreamListener {
  /** Without spaces, unique among all listeners: `shop/public/db`. */
  readonly id: string;
  /** In lower case. Empty: all names, and clients that send none. */
  readonly hostname: string;
  /**
   * Ids of Certificates, where TLS ends here; undefined where it passes through, or where there is
   * none.
   */
  readonly certificates: readonly string[] | undefined;
}

/** A StreamPort with the backends of each name. */
export interface GatewayStream extends Omit<StreamPort, "listeners" | "beside"> {
  readonly kind: "gateway";
  /**
   * Names that are in none of them are refused, or are those of requests. For TCP and UDP there is
   * one without a name, or none.
   */
  readonly hosts: readonly StreamHost[];
  /**
   * Hostnames of requests that a wildcard among the hosts takes as well; the more specific one
   * counts. Absent: the port takes no requests.
   */
  readonly requests?: readonly string[];
}

export interface StreamHost {
  /**
   * In lower case; a wildcard takes one label or more, and the longest one that fits counts. Empty:
   * all names.
   */
  readonly hostname: string;
  /** The certificates, as in StreamListener. */
  readonly certificates: readonly string[] | undefined;
  /** Empty: its connections are refused. */
  readonly backends: readonly StreamBackend[];
  /** The route that has it; absent: none. */
  readonly route?: Owner;
  /** The id of the listener that has the name; absent: where that makes no difference. */
  readonly listener?: string;
}

export interface StreamBackend {
  /** Its share of the connections is its weight among those of all backends of the host. */
  readonly weight: number;
  /** The Service as the route names it, `namespace/name:port`; empty where it cannot be used. */
  readonly service: string;
  /** Empty: its share is refused. */
  readonly endpoints: readonly Endpoint[];
  /** Its connections are TLS, and verified; absent: they are not. There are no further names. */
  readonly tls?: BackendTls;
}

export type StreamServer =
  | {
      readonly kind: "tcp" | "udp";
      readonly port: number;
      /** For people: `tcp-namespace-service-port`. */
      readonly label: string;
      /** `namespace/service:port`, as it is written; empty where that makes no difference. */
      readonly service: string;
      /** The ConfigMap that names it; absent: where that makes no difference. */
      readonly owner?: Owner;
      /** At least one. */
      readonly endpoints: readonly Endpoint[];
      readonly acceptProxyProtocol: boolean;
      readonly sendProxyProtocol: boolean;
    }
  | {
      readonly kind: "passthrough";
      readonly host: string;
      /** As above. */
      readonly service: string;
      /** The Ingress that has the host's root; absent: as above. */
      readonly owner?: Owner;
      readonly endpoints: readonly Endpoint[];
    }
  | GatewayStream;

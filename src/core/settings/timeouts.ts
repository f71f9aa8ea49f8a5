/**
 * Keys about how long nginx waits for a backend: the defaults of the annotations of the same name,
 * for http and gRPC backends.
 */
import { keyed, setting } from "./declare.ts";
import { wholeSeconds } from "./kinds.ts";

export const timeouts = keyed({
  proxyConnectTimeout: setting({
    kind: wholeSeconds(),
    default: 5,
    directive: { name: ["proxy_connect_timeout", "grpc_connect_timeout"], context: "http" },
    doc: "How long nginx waits for an Endpoint to accept the connection.",
  }),
  proxySendTimeout: setting({
    kind: wholeSeconds(),
    default: 60,
    directive: { name: ["proxy_send_timeout", "grpc_send_timeout"], context: "http" },
    doc: "How long a pause between two writes to an Endpoint may last.",
  }),
  proxyReadTimeout: setting({
    kind: wholeSeconds(),
    default: 60,
    directive: { name: ["proxy_read_timeout", "grpc_read_timeout"], context: "http" },
    doc: "How long a pause between two reads from an Endpoint may last.",
  }),
});

/** How long nginx waits for the backend of a Location. */
import { seconds } from "../kinds/numbers.ts";
import { feature, field } from "./declare.ts";

export const proxyTimeouts = feature({
  name: "proxy-timeouts",
  scope: "location",
  fields: {
    connect: field({
      key: "proxy-connect-timeout",
      example: "5",
      kind: seconds({ min: 1 }),
      fallback: (settings) => settings.proxyConnectTimeout,
      risk: "Low",
      directive: { name: "proxy_connect_timeout", grpc: "grpc_connect_timeout" },
      doc: "How long nginx waits for an Endpoint to accept the connection.",
    }),
    send: field({
      key: "proxy-send-timeout",
      example: "120",
      kind: seconds({ min: 1 }),
      fallback: (settings) => settings.proxySendTimeout,
      risk: "Low",
      directive: { name: "proxy_send_timeout", grpc: "grpc_send_timeout" },
      doc: "How long a pause between two writes to an Endpoint may last.",
    }),
    read: field({
      key: "proxy-read-timeout",
      example: "3600",
      kind: seconds({ min: 1 }),
      fallback: (settings) => settings.proxyReadTimeout,
      risk: "Low",
      directive: { name: "proxy_read_timeout", grpc: "grpc_read_timeout" },
      doc: "How long a pause between two reads from an Endpoint may last; raise it for websockets and streaming.",
    }),
  },
});

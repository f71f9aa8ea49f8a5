/** How long nginx waits for a backend: the defaults of the annotations of the same name. */
import { seconds } from "../kinds/numbers.ts";
import { setting } from "./declare.ts";

export const timeouts = {
  proxyConnectTimeout: setting({
    key: "proxy-connect-timeout",
    kind: seconds({ min: 1 }),
    default: 5,
    directive: { name: "proxy_connect_timeout", context: "http" },
    doc: "How long nginx waits for an Endpoint to accept the connection.",
  }),
  proxySendTimeout: setting({
    key: "proxy-send-timeout",
    kind: seconds({ min: 1 }),
    default: 60,
    directive: { name: "proxy_send_timeout", context: "http" },
    doc: "How long a pause between two writes to an Endpoint may last.",
  }),
  proxyReadTimeout: setting({
    key: "proxy-read-timeout",
    kind: seconds({ min: 1 }),
    default: 60,
    directive: { name: "proxy_read_timeout", context: "http" },
    doc: "How long a pause between two reads from an Endpoint may last.",
  }),
};

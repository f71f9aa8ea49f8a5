/** Keys about the addresses on which nginx listens, and the protocols that it uses there. */
import { ipAddress, ipv4Address, ipv6Address } from "../kinds/addresses.ts";
import { emptyAs, lenientListOf, optional } from "../kinds/combine.ts";
import { sizeBetween, timeSpan } from "../kinds/measures.ts";
import { integer } from "../kinds/numbers.ts";
import { bool } from "../kinds/words.ts";
import { keyed, setting, toggle, without } from "./declare.ts";
import { count, countOrNone, wholeSeconds } from "./kinds.ts";

const dropped = "nginx dropped it in 1.19.7; use large-client-header-buffers";

export const listeners = keyed({
  bindAddress: setting({
    kind: lenientListOf(ipAddress),
    default: [],
    becomes: "listen",
    doc: "Addresses to listen on instead of all.",
  }),
  bindAddressIpv4: setting({
    kind: lenientListOf(ipv4Address),
    default: [],
    becomes: "listen",
    doc: "Like bind-address, for IPv4 only.",
  }),
  bindAddressIpv6: setting({
    kind: lenientListOf(ipv6Address),
    default: [],
    becomes: "listen",
    doc: "Like bind-address, for IPv6 only; brackets around the address are allowed.",
  }),
  disableIpv6: toggle({ becomes: "listen", doc: "Listens on IPv4 only." }),
  disableIpv6Dns: setting<boolean | undefined>({
    kind: optional(bool),
    becomes: "resolver … ipv6=off",
    doc: "Looks up no IPv6 addresses of backends; empty means that this depends on whether the machine has IPv6.",
  }),
  reusePort: toggle({
    default: true,
    becomes: "listen … reuseport",
    doc: "Gives every worker a listening socket of its own.",
  }),
  useHttp2: toggle({
    default: true,
    becomes: "http2 on, or listen … http2 before nginx 1.25.1",
    doc: "Offers HTTP/2 to clients.",
  }),
  http2MaxConcurrentStreams: setting({
    kind: count(),
    default: 128,
    directive: { name: "http2_max_concurrent_streams", context: "http" },
    doc: "Requests that one HTTP/2 connection may have open at once.",
  }),
  http2MaxFieldSize: without(optional(sizeBetween("1")), dropped, "Was the largest size of one HTTP/2 header field."),
  http2MaxHeaderSize: without(optional(sizeBetween("1")), dropped, "Was the largest size of all HTTP/2 header fields."),
  http2MaxRequests: without(
    countOrNone(),
    "nginx dropped it in 1.19.7; use keep-alive-requests",
    "Was the number of requests after which an HTTP/2 connection is closed.",
    0,
  ),
  useHttp3: toggle({
    own: true,
    needs: "http3",
    becomes: "listen … quic, beside each listen … ssl",
    doc: "Offers HTTP/3 on the UDP port with the number of the https port, and announces it to clients (Alt-Svc). It needs TLSv1.3 among ssl-protocols.",
  }),
  http3Port: setting({
    kind: optional(integer({ min: 1, max: 65_535 })),
    own: true,
    needs: "http3",
    onlyWith: ["use-http3"],
    becomes: "the port in Alt-Svc",
    doc: "Port where clients find HTTP/3, if a load balancer has another one than --https-port.",
  }),
  http3MaxAge: setting({
    kind: wholeSeconds(),
    default: 86_400,
    own: true,
    needs: "http3",
    onlyWith: ["use-http3"],
    becomes: "ma in Alt-Svc",
    doc: "How long clients remember that there is HTTP/3.",
  }),
  http3Retry: toggle({
    own: true,
    needs: "http3",
    onlyWith: ["use-http3"],
    directive: { name: "quic_retry", context: "http" },
    doc: "Makes each new client prove its address first, which costs a round trip; it protects against floods from forged addresses.",
  }),
  useProxyProtocol: toggle({
    becomes: "listen … proxy_protocol",
    doc: "Expects the PROXY protocol on the http and https ports and takes the client's address from it.",
  }),
  proxyProtocolHeaderTimeout: setting({
    kind: emptyAs(timeSpan({ min: 1 }), "5s"),
    default: "5s",
    becomes: "proxy_protocol_timeout of the TLS passthrough listener",
    doc: "How long the TLS passthrough listener waits for the PROXY header.",
  }),
});

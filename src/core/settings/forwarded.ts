/** Keys about trust in other programs: the client's address, scheme, host and port (RS-23). */
import { range } from "../kinds/addresses.ts";
import { lenientListOf } from "../kinds/combine.ts";
import { type Kind, ok } from "../kinds/kind.ts";
import { settableHeaderName } from "../kinds/reserved-headers.ts";
import { keyed, setting, toggle } from "./declare.ts";

/** For nginx this is no header but the address in the PROXY line of the connection. */
export const proxyLine = "proxy_protocol";

const addressHeader: Kind<string> = {
  ...settableHeaderName,
  label: `${settableHeaderName.label}; or ${proxyLine}`,
  read: (text) => (text === proxyLine ? ok(text) : settableHeaderName.read(text)),
};

export const forwarded = keyed({
  useForwardedHeaders: toggle({
    becomes: "the maps of $pass_access_scheme, $pass_port and $best_http_host, and real_ip_header",
    doc: "Takes client address, scheme, host and port from the X-Forwarded-* headers of the request: only behind a proxy that sets them.",
  }),
  computeFullForwardedFor: toggle({
    onlyWith: ["use-forwarded-headers"],
    becomes: "the value of X-Forwarded-For",
    doc: "Appends the address of the connection to the X-Forwarded-For that came in instead of replacing it.",
  }),
  forwardedForHeader: setting({
    kind: addressHeader,
    default: "X-Forwarded-For",
    becomes: "real_ip_header, and proxy_set_header X-Original-Forwarded-For",
    doc: "Header that holds the client's address; with `proxy_protocol` no header counts, only the PROXY line of the connection.",
  }),
  forwardedHostHeader: setting({
    kind: settableHeaderName,
    default: "X-Forwarded-Host",
    becomes: "proxy_set_header X-Original-Forwarded-Host",
    doc: "Header that is passed on as X-Original-Forwarded-Host.",
  }),
  forwardedForProxyProtocolHeader: setting({
    kind: settableHeaderName,
    default: "X-Forwarded-For-Proxy-Protocol",
    onlyWith: ["use-proxy-protocol"],
    becomes: "real_ip_header in each location",
    doc: "Header that carries the address inside nginx if both the PROXY protocol and forwarded headers are used; a client's own is dropped, and backends do not see it.",
  }),
  proxyRealIpCidr: setting({
    kind: lenientListOf(range),
    default: ["0.0.0.0/0"],
    onlyWith: ["use-forwarded-headers", "use-proxy-protocol", "enable-real-ip"],
    becomes: "set_real_ip_from",
    doc: "Proxies that are trusted to report the client's address.",
  }),
  enableRealIp: toggle({
    becomes: "real_ip_header, real_ip_recursive and set_real_ip_from",
    doc: "Takes the client's address from forwarded-for-header, without trusting the other X-Forwarded-* headers.",
  }),
});

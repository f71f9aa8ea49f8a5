/** Keys about TCP and UDP services. */
import { timeSpan } from "../kinds/measures.ts";
import { keyed, setting, toggle } from "./declare.ts";
import { countOrNone } from "./kinds.ts";

export const streams = keyed({
  proxyStreamTimeout: setting({
    kind: timeSpan({ min: 1 }),
    default: "600s",
    directive: { name: "proxy_timeout", context: "stream" },
    doc: "How long a TCP or UDP session may be idle.",
  }),
  proxyStreamNextUpstream: toggle({
    default: true,
    directive: { name: "proxy_next_upstream", context: "stream" },
    doc: "Tries the next Endpoint if a connection cannot be made.",
  }),
  proxyStreamNextUpstreamTimeout: setting({
    kind: timeSpan(),
    default: "600s",
    onlyWith: ["proxy-stream-next-upstream"],
    directive: { name: "proxy_next_upstream_timeout", context: "stream" },
    doc: "How long further Endpoints are tried; 0 is no limit.",
  }),
  proxyStreamNextUpstreamTries: setting({
    kind: countOrNone(),
    default: 3,
    onlyWith: ["proxy-stream-next-upstream"],
    directive: { name: "proxy_next_upstream_tries", context: "stream" },
    doc: "How many Endpoints are tried for one session; 0 is no limit.",
  }),
  proxyStreamResponses: setting({
    kind: countOrNone(),
    default: 1,
    becomes: "proxy_responses of UDP services",
    doc: "Datagrams that are expected in answer to one of a client.",
  }),
});

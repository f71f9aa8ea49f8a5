/** Keys about access on all hosts: lists that refuse or admit clients. */
import { range } from "../kinds/addresses.ts";
import { lenientListOf } from "../kinds/combine.ts";
import { unescaped } from "../kinds/grammar.ts";
import type { Kind } from "../kinds/kind.ts";
import { mapPattern } from "../kinds/patterns.ts";
import { keyed, setting } from "./declare.ts";

const ranges = lenientListOf(range);
/** A quoted text may hold blanks, as in nginx's files; here an unquoted one may as well. */
const pattern: Kind<string> = {
  ...mapPattern,
  read: (text) => {
    const quoted = /^(["'])(.+)\1$/.exec(text)?.[2];
    return mapPattern.read(quoted === undefined ? text : unescaped(quoted));
  },
};
const patterns = lenientListOf(pattern);

export const access = keyed({
  whitelistSourceRange: setting({
    kind: ranges,
    default: [],
    closed: ["127.0.0.1"],
    becomes: "allow … and deny all in each location",
    doc: "Clients that may use the hosts of Ingresses; the annotation of an Ingress replaces it.",
  }),
  denylistSourceRange: setting({
    kind: ranges,
    default: [],
    becomes: "deny in each location",
    doc: "Clients that may not use the hosts of Ingresses; the annotation of an Ingress replaces it.",
  }),
  blockCidrs: setting({
    kind: ranges,
    default: [],
    becomes: "deny in the http block, restated where a location has a list of its own",
    doc: "Clients that are refused everywhere.",
  }),
  blockUserAgents: setting({
    kind: patterns,
    default: [],
    becomes: "a map of $http_user_agent and a 403 in each server",
    doc: "User-Agent values, or patterns of them, that are refused everywhere.",
  }),
  blockReferers: setting({
    kind: patterns,
    default: [],
    becomes: "a map of $http_referer and a 403 in each server",
    doc: "Referer values, or patterns of them, that are refused everywhere.",
  }),
  nginxStatusIpv4Whitelist: setting({
    kind: ranges,
    default: ["127.0.0.1"],
    becomes: "allow in /nginx_status",
    doc: "IPv4 clients that may see /nginx_status on the traffic ports.",
  }),
  nginxStatusIpv6Whitelist: setting({
    kind: ranges,
    default: ["::1"],
    becomes: "allow in /nginx_status",
    doc: "IPv6 clients that may see /nginx_status on the traffic ports.",
  }),
});

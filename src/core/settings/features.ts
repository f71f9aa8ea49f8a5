/**
 * Keys with defaults for several features of annotations: custom errors, limits, www and port in
 * redirects.
 */
import { lenientListOf, optional } from "../kinds/combine.ts";
import { line } from "../kinds/names.ts";
import { variableText } from "../kinds/variables.ts";
import { keyed, setting, toggle, without } from "./declare.ts";
import { count } from "./kinds.ts";

/**
 * nginx allows error_page for 300 to 599, except 499, its own status for a client that went away.
 */
const codes = lenientListOf({
  ...count({ min: 300, max: 599 }),
  label: "a status from 300 to 599 but 499",
  read: (text) =>
    text === "499"
      ? { ok: false, why: "499 is not a status that an answer can have" }
      : count({ min: 300, max: 599 }).read(text),
});

export const featureDefaults = keyed({
  customHttpErrors: setting({
    kind: codes,
    default: [],
    forRoutes: { instead: [] },
    becomes: "error_page, proxy_intercept_errors and a location for each code",
    doc: "Statuses for which the default backend writes the answer.",
  }),
  disableProxyInterceptErrors: toggle({
    onlyWith: ["custom-http-errors"],
    becomes: "proxy_intercept_errors",
    doc: "Leaves the errors of backends alone, so that custom-http-errors is only for nginx's own.",
  }),
  limitConnZoneVariable: setting({
    kind: variableText,
    default: "$binary_remote_addr",
    variables: "http",
    becomes: "the key of limit_req_zone and limit_conn_zone",
    doc: "Text with variables by whose value requests and connections are counted.",
  }),
  limitConnStatusCode: setting({
    kind: count({ min: 400, max: 599 }),
    default: 503,
    directive: { name: "limit_conn_status", context: "http" },
    doc: "Status for a client with too many connections.",
  }),
  limitReqStatusCode: setting({
    kind: count({ min: 400, max: 599 }),
    default: 503,
    directive: { name: "limit_req_status", context: "http" },
    doc: "Status for a client with too many requests.",
  }),
  proxySslLocationOnly: toggle({
    becomes: "where proxy_ssl_certificate and its like stand",
    doc: "Keeps the TLS identity of proxy-ssl-secret to the paths of its own Ingress instead of the whole host.",
  }),
  appRoot: without(
    optional(line),
    "only the annotation of this name redirects",
    "Nothing: the annotation of this name has no default in the ConfigMap.",
  ),
});

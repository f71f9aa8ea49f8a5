/** Flags about the ports of listeners and the health check. */
import { port } from "../../core/kinds/addresses.ts";
import { optional } from "../../core/kinds/combine.ts";
import { bindAddress, hostPort } from "../../core/kinds/flag-kinds.ts";
import { shaped } from "../../core/kinds/names.ts";
import { listOf } from "../../core/kinds/text.ts";
import { flag, named, toggle } from "../flag.ts";
import { portNumber, wholeNumber } from "./kinds.ts";

const urlPath = shaped({
  label: "a path that starts with /",
  shape: /^\/[\w.~/-]{0,200}$/,
});

const dashboard = shaped({
  label: "an http or https URL, with {host}, {namespace} or {name} in it",
  shape: /^https?:\/\/[\w.:[\]-]+(\/[\w./?&=%~:{}+-]*)?$/,
});

export const ports = named({
  httpPort: flag({ kind: portNumber, default: 80, serve: 8080, doc: "Port for http." }),
  httpsPort: flag({ kind: portNumber, default: 443, serve: 8443, doc: "Port for https." }),
  statusPort: flag({
    kind: portNumber,
    default: 10_246,
    doc: "Port on 127.0.0.1 where nginx answers /healthz and /nginx_status.",
  }),
  defaultServerPort: flag({ kind: portNumber, default: 8181, doc: "Port of the built-in server that answers 404." }),
  nameCheckPort: flag({
    kind: portNumber,
    default: 10_243,
    own: true,
    doc: "UDP port on 127.0.0.1 where the controller resolves for nginx the names in annotations such as auth-url.",
  }),
  allowedLoopbackPorts: flag<readonly number[]>({
    kind: listOf(port),
    default: [],
    list: true,
    value: "PORTS",
    own: true,
    doc: "Ports of this machine to which Ingresses may send requests, such as 4180 for an auth service beside the controller. Sluice's own ports are never among them.",
  }),
  healthzPort: flag({
    kind: portNumber,
    default: 10_254,
    doc: "Port of the controller's own server: health and metrics.",
  }),
  healthzHost: flag({
    kind: optional(bindAddress),
    value: "ADDRESS",
    doc: "Address of the controller's own server; all addresses when not given.",
  }),
  uiPort: flag({
    kind: optional(wholeNumber(0, 65_535)),
    value: "PORT",
    own: true,
    doc: "Port on 127.0.0.1 of the page in the browser, below /ui/. Without it the page has the port of health and metrics; 0 turns it off.",
  }),
  uiHistory: toggle({
    default: true,
    own: true,
    doc: "Keeps the figures of the last 30 minutes for the plots of the page, in at most 3 MB.",
  }),
  uiGrafanaUrl: flag({
    kind: optional(dashboard),
    value: "URL",
    own: true,
    doc: "A dashboard that the page links to; {host}, {namespace} and {name} in it become those of a route.",
  }),
  uiShowSnippets: toggle({ own: true, doc: "Shows the text of snippets in the page, to all who can reach it." }),
  healthCheckPath: flag({
    kind: urlPath,
    default: "/healthz",
    value: "PATH",
    doc: "Path of the health check, on the controller's server, the status server and the catch-all server.",
  }),
  healthCheckTimeout: flag({
    kind: wholeNumber(1),
    default: 10,
    value: "SECONDS",
    doc: "How long the health check waits for nginx.",
  }),
  sslPassthroughProxyPort: flag({
    kind: portNumber,
    default: 442,
    doc: "Was the port where nginx itself had TLS with --enable-ssl-passthrough.",
    noEffect: "nginx uses TLS on a unix socket then, which no other program can reach",
  }),
  streamPort: flag({
    kind: portNumber,
    default: 10_247,
    doc: "UDP port on 127.0.0.1 where nginx queries the controller for the Endpoints of TCP, UDP and TLS streams, from nginx 1.27.3 on.",
  }),
  internalLoggerAddress: flag({
    kind: hostPort,
    default: "127.0.0.1:11514",
    value: "ADDRESS",
    doc: "Was the address of the chroot image's log receiver.",
    noEffect: "there is no chroot image; logs go to standard output",
  }),
});

/** Ports, TLS, and how changes reach nginx. */

import { optional } from "../../kinds/combine.ts";
import { bindAddress, float, hostPort } from "../../kinds/flag-kinds.ts";
import { fileName, line, shaped } from "../../kinds/names.ts";
import { oneOf } from "../../kinds/words.ts";
import { flag } from "../flag.ts";
import { objectName, portNumber, text, toggle, wholeNumber } from "./kinds.ts";

const urlPath = shaped({
  label: "a path that starts with /",
  shape: /^\/[\w.~/-]{0,200}$/,
  good: ["/healthz", "/"],
  bad: ["", "healthz", "/a b", "/a;"],
});

export const ports = {
  httpPort: flag({
    name: "http-port",
    kind: portNumber,
    default: 80,
    serve: 8080,
    value: "PORT",
    doc: "Port for http.",
  }),
  httpsPort: flag({
    name: "https-port",
    kind: portNumber,
    default: 443,
    serve: 8443,
    value: "PORT",
    doc: "Port for https.",
  }),
  statusPort: flag({
    name: "status-port",
    kind: portNumber,
    default: 10_246,
    value: "PORT",
    doc: "Port on 127.0.0.1 where nginx answers /healthz and /nginx_status.",
  }),
  defaultServerPort: flag({
    name: "default-server-port",
    kind: portNumber,
    default: 8181,
    value: "PORT",
    doc: "Port of the built-in server that answers 404.",
  }),
  healthzPort: flag({
    name: "healthz-port",
    kind: portNumber,
    default: 10_254,
    value: "PORT",
    doc: "Port of the controller's own server: health and metrics.",
  }),
  healthzHost: flag({
    name: "healthz-host",
    kind: optional(bindAddress),
    default: undefined,
    value: "ADDRESS",
    doc: "Address of the controller's own server; all addresses when not given.",
  }),
  healthCheckPath: flag({
    name: "health-check-path",
    kind: urlPath,
    default: "/healthz",
    value: "PATH",
    doc: "Path of the health check, on the controller's server, the status server and the catch-all server.",
  }),
  healthCheckTimeout: flag({
    name: "health-check-timeout",
    kind: wholeNumber(1),
    default: 10,
    value: "SECONDS",
    doc: "How long the health check waits for nginx.",
  }),
  sslPassthroughProxyPort: flag({
    name: "ssl-passthrough-proxy-port",
    kind: portNumber,
    default: 442,
    value: "PORT",
    doc: "Port where nginx itself speaks TLS when --enable-ssl-passthrough is on.",
  }),
  streamPort: flag({
    name: "stream-port",
    kind: portNumber,
    default: 10_247,
    value: "PORT",
    doc: "Was the port that told nginx the Endpoints of TCP and UDP services.",
    noEffect: "these Endpoints are part of the configuration",
  }),
  internalLoggerAddress: flag({
    name: "internal-logger-address",
    kind: hostPort,
    default: "127.0.0.1:11514",
    value: "ADDRESS",
    doc: "Was the address of the chroot image's log receiver.",
    noEffect: "there is no chroot image; logs go to standard output",
  }),
};

export const tls = {
  defaultSslCertificate: flag({
    name: "default-ssl-certificate",
    kind: objectName,
    default: undefined,
    value: "NAMESPACE/NAME",
    doc: "Secret with the certificate for unknown hosts.",
  }),
  enableSslPassthrough: toggle({
    name: "enable-ssl-passthrough",
    default: false,
    doc: "Lets Ingresses have their TLS connections passed to the backend as they are.",
  }),
  enableSslChainCompletion: toggle({
    name: "enable-ssl-chain-completion",
    default: false,
    doc: "Fetches missing intermediate certificates.",
  }),
};

export const changes = {
  mode: flag({
    name: "mode",
    kind: oneOf(["dynamic", "static"]),
    default: "dynamic",
    value: "MODE",
    own: true,
    doc: "dynamic: routes, Endpoints and certificates are data and need no reload; static: all is text, for an nginx without Lua.",
  }),
  syncRateLimit: flag({
    name: "sync-rate-limit",
    kind: float,
    default: 0.3,
    value: "NUMBER",
    doc: "Reloads per second; changes that need no reload are not limited.",
  }),
  reloadBurst: flag({
    name: "reload-burst",
    kind: wholeNumber(1, 1000),
    default: 5,
    serve: 20,
    value: "NUMBER",
    own: true,
    doc: "Reloads that may follow each other at once.",
  }),
  runFolder: flag({
    name: "run-folder",
    kind: optional(line),
    default: undefined,
    value: "FOLDER",
    own: true,
    doc: "The one folder that Sluice writes to: nginx.conf, keys, sockets.",
  }),
  templateDir: flag({
    name: "template-dir",
    kind: optional(line),
    default: undefined,
    value: "FOLDER",
    own: true,
    doc: "Folder with a template of your own: its files take the place of the built-in ones of the same name. It is watched. In a cluster, /etc/nginx/template is used where it is there.",
  }),
  nginxSocket: flag({
    name: "nginx-socket",
    kind: optional(fileName),
    default: undefined,
    value: "FILE",
    own: true,
    doc: "Unix socket of an nginx that runs in a container of its own.",
  }),
  dynamicConfigurationRetries: flag({
    name: "dynamic-configuration-retries",
    kind: wholeNumber(0),
    default: 15,
    value: "NUMBER",
    doc: "Was the number of attempts to tell nginx about Endpoints.",
    noEffect: "data is offered again until nginx has it",
  }),
  shutdownGracePeriod: flag({
    name: "shutdown-grace-period",
    kind: wholeNumber(0, 86_400),
    default: 0,
    value: "SECONDS",
    doc: "Wait between SIGTERM and stopping nginx; the health check fails meanwhile.",
  }),
  postShutdownGracePeriod: flag({
    name: "post-shutdown-grace-period",
    kind: wholeNumber(0, 86_400),
    default: 10,
    value: "SECONDS",
    doc: "Wait between the end of nginx and the end of the controller.",
  }),
};

/** The webhook that the API server asks before it accepts an Ingress. */
export const webhook = {
  validatingWebhook: flag({
    name: "validating-webhook",
    kind: optional(hostPort),
    default: undefined,
    value: "ADDRESS",
    doc: "Where the webhook listens, such as :8443; no webhook when not given.",
  }),
  validatingWebhookCertificate: flag({
    name: "validating-webhook-certificate",
    kind: text,
    default: undefined,
    value: "FILE",
    doc: "Its certificate; a new version of the file is taken up.",
  }),
  validatingWebhookKey: flag({
    name: "validating-webhook-key",
    kind: text,
    default: undefined,
    value: "FILE",
    doc: "Its private key; a new version of the file is taken up.",
  }),
  validatingWebhookCertificateSecret: flag({
    name: "validating-webhook-certificate-secret",
    kind: objectName,
    default: undefined,
    value: "NAMESPACE/NAME",
    own: true,
    cluster: true,
    doc: "Secret that holds a certificate which the controller makes and renews itself, instead of files.",
  }),
  validatingWebhookConfiguration: flag({
    name: "validating-webhook-configuration",
    kind: text,
    default: undefined,
    value: "NAME",
    own: true,
    cluster: true,
    doc: "ValidatingWebhookConfiguration that is given the CA of that certificate.",
  }),
  disableFullTest: toggle({
    name: "disable-full-test",
    default: false,
    doc: "Was the choice to test a submitted Ingress without the others.",
    noEffect: "only what depends on the submitted Ingress is looked at, so there is nothing to save",
  }),
};

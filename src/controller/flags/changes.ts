/** Flags about TLS, about the way of changes to nginx, and about start and end. */
import { optional } from "../../core/kinds/combine.ts";
import { fileName, line } from "../../core/kinds/names.ts";
import { oneOf } from "../../core/kinds/words.ts";
import { flag, named, toggle } from "../flag.ts";
import { number, objectName, wholeNumber } from "./kinds.ts";

export const tls = named({
  defaultSslCertificate: flag({ kind: objectName, doc: "Secret with the certificate for unknown hosts." }),
  enableSslPassthrough: toggle({ doc: "Lets Ingresses pass TLS connections on to backends without ending TLS." }),
  enableSslChainCompletion: toggle({
    doc: "Fetches the intermediate certificates that a TLS Secret lacks, from the addresses that its certificates name.",
  }),
});

export const modes = ["dynamic", "static"] as const;

export const changes = named({
  mode: flag({
    kind: oneOf(modes),
    default: "dynamic",
    value: "MODE",
    own: true,
    doc: "dynamic: routes, Endpoints and certificates are data and need no reload; static: all is text, for an nginx without Lua.",
  }),
  syncRateLimit: flag({
    kind: number,
    default: 0.3,
    doc: "Reloads per second; changes that need no reload are not limited.",
  }),
  reloadBurst: flag({
    kind: wholeNumber(1, 1000),
    default: 5,
    serve: 20,
    own: true,
    doc: "Reloads that may follow each other at once.",
  }),
  runFolder: flag({
    kind: optional(line),
    value: "FOLDER",
    own: true,
    doc: "The one folder that Sluice writes to: nginx.conf, keys, sockets.",
  }),
  templateDir: flag({
    kind: optional(line),
    value: "FOLDER",
    own: true,
    doc: "Folder with a template of your own: its files take the place of the built-in ones of the same name. It is watched. In a cluster the folder /etc/nginx/template is used if it exists.",
  }),
  nginxSocket: flag({
    kind: optional(fileName),
    value: "FILE",
    own: true,
    cluster: true,
    doc: "Unix socket of an nginx that runs in a container of its own.",
  }),
  dynamicConfigurationRetries: flag({
    kind: wholeNumber(0),
    default: 15,
    doc: "Was the number of attempts to send Endpoints to nginx.",
    noEffect: "data is offered again until nginx has it",
  }),
  shutdownGracePeriod: flag({
    kind: wholeNumber(0, 86_400),
    default: 0,
    value: "SECONDS",
    doc: "Wait between SIGTERM and stopping nginx; meanwhile the health check fails, and each answer closes its connection.",
  }),
  postShutdownGracePeriod: flag({
    kind: wholeNumber(0, 86_400),
    default: 10,
    value: "SECONDS",
    doc: "Wait between the end of nginx and the end of the controller.",
  }),
});

/** The messages of networking.k8s.io/v1: Ingress and IngressClass. */
import { inlined, int32, message, part, parts, text, texts } from "../protobuf/message.ts";
import { objectMeta } from "../protobuf/meta.ts";

const servicePort = message({ 1: text("name", "omitempty"), 2: int32("number", "omitempty") });
const typedReference = message({ 1: text("apiGroup"), 2: text("kind"), 3: text("name") });
const backend = message({
  3: part("resource", typedReference),
  4: part("service", message({ 1: text("name"), 2: part("port", servicePort) })),
});
const path = message({ 1: text("path", "omitempty"), 2: part("backend", backend), 3: text("pathType") });
const rule = message({
  1: text("host", "omitempty"),
  2: inlined(message({ 1: part("http", message({ 1: parts("paths", path) })) })),
});
const spec = message({
  1: part("defaultBackend", backend),
  2: parts("tls", message({ 1: texts("hosts"), 2: text("secretName", "omitempty") })),
  3: parts("rules", rule),
  4: text("ingressClassName"),
});
const address = message({
  1: text("ip", "omitempty"),
  2: text("hostname", "omitempty"),
  4: parts("ports", message({ 1: int32("port"), 2: text("protocol"), 3: text("error") })),
});
const loadBalancer = message({ 1: parts("ingress", address) });

export const ingress = message({
  1: part("metadata", objectMeta),
  2: part("spec", spec),
  3: part("status", message({ 1: part("loadBalancer", loadBalancer) })),
});

const parameters = message({
  1: text("apiGroup"),
  2: text("kind"),
  3: text("name"),
  4: text("scope"),
  5: text("namespace"),
});

export const ingressClass = message({
  1: part("metadata", objectMeta),
  2: part("spec", message({ 1: text("controller", "omitempty"), 2: part("parameters", parameters) })),
});

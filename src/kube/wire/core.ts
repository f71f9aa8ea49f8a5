/** The messages of the core group: Service, Secret, ConfigMap and Namespace. */
import {
  binaryMap,
  bool,
  int32,
  intOrString,
  map,
  message,
  part,
  parts,
  text,
  texts,
  time,
} from "../protobuf/message.ts";
import { condition, objectMeta } from "../protobuf/meta.ts";

export const objectReference = message({
  1: text("kind", "omitempty"),
  2: text("namespace", "omitempty"),
  3: text("name", "omitempty"),
  4: text("uid", "omitempty"),
  5: text("apiVersion", "omitempty"),
  6: text("resourceVersion", "omitempty"),
  7: text("fieldPath", "omitempty"),
});

const servicePort = message({
  1: text("name", "omitempty"),
  2: text("protocol", "omitempty"),
  3: int32("port"),
  4: intOrString("targetPort"),
  5: int32("nodePort", "omitempty"),
  6: text("appProtocol"),
});
const clientIP = message({ 1: int32("timeoutSeconds") });
const serviceSpec = message({
  1: parts("ports", servicePort),
  2: map("selector"),
  3: text("clusterIP", "omitempty"),
  4: text("type", "omitempty"),
  5: texts("externalIPs"),
  7: text("sessionAffinity", "omitempty"),
  8: text("loadBalancerIP", "omitempty"),
  9: texts("loadBalancerSourceRanges"),
  10: text("externalName", "omitempty"),
  11: text("externalTrafficPolicy", "omitempty"),
  12: int32("healthCheckNodePort", "omitempty"),
  13: bool("publishNotReadyAddresses", "omitempty"),
  14: part("sessionAffinityConfig", message({ 1: part("clientIP", clientIP) })),
  17: text("ipFamilyPolicy"),
  18: texts("clusterIPs"),
  19: texts("ipFamilies"),
  20: bool("allocateLoadBalancerNodePorts"),
  21: text("loadBalancerClass"),
  22: text("internalTrafficPolicy"),
  23: text("trafficDistribution"),
});
const address = message({
  1: text("ip", "omitempty"),
  2: text("hostname", "omitempty"),
  3: text("ipMode"),
  4: parts("ports", message({ 1: int32("port"), 2: text("protocol"), 3: text("error") })),
});
const serviceStatus = message({
  1: part("loadBalancer", message({ 1: parts("ingress", address) })),
  2: parts("conditions", condition),
});

export const service = message({
  1: part("metadata", objectMeta),
  2: part("spec", serviceSpec),
  3: part("status", serviceStatus),
});

export const secret = message({
  1: part("metadata", objectMeta),
  2: binaryMap("data"),
  3: text("type", "omitempty"),
  4: map("stringData"),
  5: bool("immutable"),
});

export const configMap = message({
  1: part("metadata", objectMeta),
  2: map("data"),
  3: binaryMap("binaryData"),
  4: bool("immutable"),
});

const namespaceCondition = message({
  1: text("type"),
  2: text("status"),
  4: time("lastTransitionTime"),
  5: text("reason", "omitempty"),
  6: text("message", "omitempty"),
});

export const namespace = message({
  1: part("metadata", objectMeta),
  2: part("spec", message({ 1: texts("finalizers") })),
  3: part("status", message({ 1: text("phase", "omitempty"), 2: parts("conditions", namespaceCondition) })),
});

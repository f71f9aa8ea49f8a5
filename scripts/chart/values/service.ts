/**
 * The Services in front of the controller: an external one, and an internal one with the same
 * fields below `internal`.
 */
import {
  copiedFlag,
  flag,
  ipFamilyPolicy,
  port,
  ports,
  serviceType,
  sessionAffinity,
  target,
  text,
  texts,
  trafficPolicy,
  whole,
  words,
} from "../shape.ts";
import { type ChartValue, section } from "../value.ts";

const service = section("controller.service");
const internal = section("controller.service.internal");

const switches = [
  service.same("enabled", true, flag, "Creates the Services; if false, there is neither."),
  section("controller.service.external").same("enabled", true, flag, "Creates the external Service."),
  section("controller.service.external").same("labels", {}, texts, "Labels of the external Service alone."),
  service.same("labels", {}, texts, "Labels of both Services."),
  service.same("enableHttp", true, flag, "Opens the http port on both Services."),
  service.same("enableHttps", true, flag, "Opens the https port on both Services."),
  internal.same(
    "enabled",
    false,
    flag,
    "Creates the internal Service; an entry in internal.annotations creates it too.",
  ),
  internal.same("labels", {}, texts, "Labels of the internal Service."),
];

const own = [
  service.same("type", "LoadBalancer", serviceType, "Type of the external Service."),
  section("controller.service.ports").same("http", 80, port, "Port for http of the external Service."),
  section("controller.service.ports").same("https", 443, port, "Port for https of the external Service."),
  section("controller.service.targetPorts").same("http", "http", target, "Target of the external http port."),
  section("controller.service.targetPorts").same(
    "https",
    "https",
    target,
    "Target of the external https port; http if the load balancer terminates TLS.",
  ),
  internal.same("type", "", serviceType, "Type of the internal Service. Default: that of the external one."),
  section("controller.service.internal.ports").same(
    "http",
    undefined,
    port,
    "Port for http of the internal Service. Default: the external one's.",
  ),
  section("controller.service.internal.ports").same(
    "https",
    undefined,
    port,
    "Port for https of the internal Service. Default: the external one's.",
  ),
  section("controller.service.internal.targetPorts").same(
    "http",
    undefined,
    target,
    "Target of the internal http port. Default: that of the external one.",
  ),
  section("controller.service.internal.targetPorts").same(
    "https",
    undefined,
    target,
    "Target of the internal https port. Default: that of the external one.",
  ),
];

const nodePortNote =
  "The type of the internal Service itself decides; in ingress-nginx it is that of the external one.";

/** Returns the fields that both Services have, below `prefix`. */
function fields(prefix: string, who: string): readonly ChartValue[] {
  const one = section(prefix);
  const nodePorts = section(`${prefix}.nodePorts`);
  const nodePort = who === "external" ? nodePorts.same : nodePorts.differs;
  return [
    one.same("annotations", {}, texts, `Annotations of the ${who} Service; values are templates.`),
    one.same("clusterIP", "", text, `Cluster address of the ${who} Service.`),
    one.same("clusterIPs", [], words, `Cluster addresses of the ${who} Service, for two IP families.`),
    one.same("externalIPs", [], words, `External addresses of the ${who} Service.`),
    one.same("loadBalancerIP", "", text, `Address that the ${who} Service requests from the load balancer.`),
    one.same(
      "loadBalancerSourceRanges",
      [],
      words,
      `Address ranges of clients that the load balancer of the ${who} Service accepts.`,
    ),
    one.same("loadBalancerClass", "", text, `Class of the load balancer for the ${who} Service.`),
    one.same(
      "allocateLoadBalancerNodePorts",
      undefined,
      copiedFlag,
      `Whether the ${who} Service gets node ports for its load balancer.`,
    ),
    one.same(
      "externalTrafficPolicy",
      "",
      trafficPolicy,
      `External traffic policy of the ${who} Service; Local keeps the addresses of clients.`,
    ),
    one.same("sessionAffinity", "", sessionAffinity, `Session affinity of the ${who} Service.`),
    one.same(
      "healthCheckNodePort",
      undefined,
      whole,
      `Node port for the load balancer's health check of the ${who} Service.`,
    ),
    one.same("trafficDistribution", "", text, `Traffic distribution of the ${who} Service, from Kubernetes 1.31.`),
    one.same("ipFamilyPolicy", "SingleStack", ipFamilyPolicy, `IP family policy of the ${who} Service.`),
    one.same("ipFamilies", ["IPv4"], words, `IP families of the ${who} Service.`),
    one.same("appProtocol", true, flag, `Names the protocols on the ports of the ${who} Service.`),
    nodePort("http", "", port, `Node port for http of the ${who} Service.`, nodePortNote),
    nodePort("https", "", port, `Node port for https of the ${who} Service.`, nodePortNote),
    nodePorts.same("tcp", {}, ports, `Node ports of the TCP ports of the ${who} Service.`),
    nodePorts.same("udp", {}, ports, `Node ports of the UDP ports of the ${who} Service.`),
  ];
}

export const serviceValues = [
  ...switches,
  ...own,
  ...fields("controller.service", "external"),
  ...fields("controller.service.internal", "internal"),
];

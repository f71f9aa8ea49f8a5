/** The metrics for Prometheus: the port, its Service, ServiceMonitor and PrometheusRule. */
import { flag, object, objects, port, serviceType, text, texts, trafficPolicy, whole, words } from "../shape.ts";
import { section } from "../value.ts";

const metrics = section("controller.metrics");
const service = section("controller.metrics.service");
const monitor = section("controller.metrics.serviceMonitor");
const rule = section("controller.metrics.prometheusRule");

export const metricsValues = [
  metrics.same("enabled", false, flag, "Adds --enable-metrics, the container's port and the metrics Service."),
  metrics.same("port", 10254, port, "The container's port; the controller listens there by extraArgs healthz-port."),
  metrics.same("portName", "metrics", text, "Name of that port in the Pod and in the Service."),
  service.same("enabled", true, flag, "The metrics Service."),
  service.same("annotations", {}, texts, "Annotations of that Service."),
  service.same("labels", {}, texts, "Labels of that Service."),
  service.same("clusterIP", undefined, text, "Cluster address of that Service."),
  service.same("externalIPs", [], words, "External addresses of that Service."),
  service.same("loadBalancerIP", undefined, text, "Address that the Service requests from the load balancer."),
  service.same("loadBalancerSourceRanges", [], words, "Clients that its load balancer lets through."),
  service.same("externalTrafficPolicy", undefined, trafficPolicy, "Local keeps client addresses."),
  service.same("servicePort", 10254, port, "Port of that Service."),
  service.same("nodePort", undefined, port, "Node port, for the types NodePort and LoadBalancer."),
  service.same("type", "ClusterIP", serviceType, "Type of that Service."),
  monitor.same("enabled", false, flag, "ServiceMonitor, while metrics are on."),
  monitor.same("additionalLabels", {}, texts, "Labels by which a Prometheus finds the ServiceMonitor."),
  monitor.same("annotations", {}, texts, "Annotations of the ServiceMonitor."),
  monitor.same("namespace", "", text, "Namespace of the ServiceMonitor."),
  monitor.same("namespaceSelector", {}, object, "Namespaces with the Service; by default the release's."),
  monitor.same("scrapeInterval", "30s", text, "Time between two scrapes."),
  monitor.same("scrapeTimeout", "", text, "How long one scrape may take."),
  monitor.same("honorLabels", undefined, flag, "Labels of the metrics win over those of the target."),
  monitor.same("jobLabel", undefined, text, "Label of the Service that names the job."),
  monitor.same("targetLabels", [], words, "Labels of the Service to copy to the metrics."),
  monitor.same("relabelings", [], objects, "Relabelling of the target."),
  monitor.same("metricRelabelings", [], objects, "Relabelling of the metrics."),
  monitor.same("labelLimit", 0, whole, "Largest number of labels of a metric; 0 leaves it out."),
  monitor.same("labelNameLengthLimit", 0, whole, "Longest label name; 0 leaves it out."),
  monitor.same("labelValueLengthLimit", 0, whole, "Longest label value; 0 leaves it out."),
  monitor.same("sampleLimit", 0, whole, "The most samples in a scrape; 0 leaves it out."),
  monitor.same("targetLimit", 0, whole, "Most targets; 0 leaves it out."),
  rule.same("enabled", false, flag, "PrometheusRule, while metrics are on."),
  rule.same("additionalLabels", {}, texts, "Labels by which a Prometheus finds the rules."),
  rule.same("annotations", {}, texts, "Annotations of the PrometheusRule."),
  rule.same("namespace", undefined, text, "Namespace of the PrometheusRule."),
  rule.same("rules", [], objects, "The rules, one group of them."),
];

/** The metrics for Prometheus: the port, its Service, ServiceMonitor and PrometheusRule. */
import { flag, object, objects, port, serviceType, text, texts, trafficPolicy, whole, words } from "../shape.ts";
import { section } from "../value.ts";

const metrics = section("controller.metrics");
const service = section("controller.metrics.service");
const monitor = section("controller.metrics.serviceMonitor");
const rule = section("controller.metrics.prometheusRule");

export const metricsValues = [
  metrics.same("enabled", false, flag, "Adds --enable-metrics, the container's port and the metrics Service."),
  metrics.same(
    "port",
    10254,
    port,
    "The container's port; extraArgs healthz-port sets the port on which the controller listens.",
  ),
  metrics.same("portName", "metrics", text, "Name of that port in the Pod and in the Service."),
  service.same("enabled", true, flag, "Creates the metrics Service."),
  service.same("annotations", {}, texts, "Annotations of that Service."),
  service.same("labels", {}, texts, "Labels of that Service."),
  service.same("clusterIP", undefined, text, "Cluster address of that Service."),
  service.same("externalIPs", [], words, "External addresses of that Service."),
  service.same("loadBalancerIP", undefined, text, "Address that the Service requests from the load balancer."),
  service.same("loadBalancerSourceRanges", [], words, "Address ranges of clients that its load balancer accepts."),
  service.same(
    "externalTrafficPolicy",
    undefined,
    trafficPolicy,
    "External traffic policy of that Service; Local keeps the addresses of clients.",
  ),
  service.same("servicePort", 10254, port, "Port of that Service."),
  service.same("nodePort", undefined, port, "Node port, for the types NodePort and LoadBalancer."),
  service.same("type", "ClusterIP", serviceType, "Type of that Service."),
  monitor.same("enabled", false, flag, "Creates a ServiceMonitor, while metrics are on."),
  monitor.same("additionalLabels", {}, texts, "Labels by which a Prometheus finds the ServiceMonitor."),
  monitor.same("annotations", {}, texts, "Annotations of the ServiceMonitor."),
  monitor.same("namespace", "", text, "Namespace of the ServiceMonitor."),
  monitor.same("namespaceSelector", {}, object, "Namespaces with the Service; by default the release's."),
  monitor.same("scrapeInterval", "30s", text, "Time between two scrapes."),
  monitor.same("scrapeTimeout", "", text, "Longest time for one scrape."),
  monitor.same("honorLabels", undefined, flag, "Keeps labels of the metrics where the target has the same ones."),
  monitor.same("jobLabel", undefined, text, "Label of the Service that names the job."),
  monitor.same("targetLabels", [], words, "Labels of the Service to copy to the metrics."),
  monitor.same("relabelings", [], objects, "Relabelling of the target."),
  monitor.same("metricRelabelings", [], objects, "Relabelling of the metrics."),
  monitor.same("labelLimit", 0, whole, "Largest number of labels of a metric; 0 means no limit."),
  monitor.same("labelNameLengthLimit", 0, whole, "Longest name of a label; 0 means no limit."),
  monitor.same("labelValueLengthLimit", 0, whole, "Longest value of a label; 0 means no limit."),
  monitor.same("sampleLimit", 0, whole, "Largest number of samples in a scrape; 0 means no limit."),
  monitor.same("targetLimit", 0, whole, "Largest number of targets; 0 means no limit."),
  rule.same("enabled", false, flag, "Creates a PrometheusRule, while metrics are on."),
  rule.same("additionalLabels", {}, texts, "Labels by which a Prometheus finds the rules."),
  rule.same("annotations", {}, texts, "Annotations of the PrometheusRule."),
  rule.same("namespace", undefined, text, "Namespace of the PrometheusRule."),
  rule.same("rules", [], objects, "The rules, which form one group."),
];

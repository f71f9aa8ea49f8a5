/** The controller's workload: Deployment or DaemonSet, its Pod, its containers. */
import {
  dnsPolicy,
  flag,
  object,
  objectOrText,
  objects,
  objectsOrNone,
  objectsOrText,
  oneOf,
  port,
  ports,
  testedAndCopied,
  text,
  texts,
  whole,
} from "../shape.ts";
import { section } from "../value.ts";

const controller = section("controller");
const httpGet = { path: "/healthz", port: 10254, scheme: "HTTP" };
const probe = { initialDelaySeconds: 10, periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1 };

const container = [
  controller.same("containerName", "controller", text, "Name of the controller's container."),
  controller.same(
    "containerPort",
    { http: 80, https: 443 },
    ports,
    "Ports of the container, one for each key. The ports on which nginx listens are set with extraArgs http-port and https-port.",
  ),
  controller.differs(
    "containerSecurityContext",
    {},
    object,
    "Replaces the whole security context that the chart computes.",
    "The computed one drops every capability. NET_BIND_SERVICE is added only with hostNetwork, where the port sysctl does not apply.",
  ),
  controller.same(
    "resources",
    { requests: { cpu: "100m", memory: "90Mi" } },
    object,
    "Resources of the controller's container.",
  ),
  controller.same("resizePolicy", [], objects, "Resize policy of the container, from Kubernetes 1.33."),
  controller.same("startupProbe", undefined, object, "Startup probe, copied unchanged."),
  controller.same(
    "livenessProbe",
    { httpGet: { ...httpGet, path: "/livez" }, ...probe, failureThreshold: 5 },
    object,
    "Liveness probe, copied unchanged. ingress-nginx's default requests /healthz, which fails while the API server is away.",
  ),
  controller.same(
    "readinessProbe",
    { httpGet, ...probe, failureThreshold: 3 },
    object,
    "Readiness probe, copied unchanged.",
  ),
  controller.same(
    "healthCheckPath",
    "/healthz",
    text,
    "Adds --health-check-path if it differs from the default; the probes are set separately.",
  ),
  controller.same("healthCheckHost", "", text, "Adds --healthz-host; the probes are set separately."),
  controller.same(
    "lifecycle",
    { preStop: { exec: { command: ["/wait-shutdown"] } } },
    object,
    "Lifecycle hooks. The default lets nginx finish its requests; {} removes it.",
  ),
  controller.same("extraContainers", [], objects, "Further containers of the Pod."),
  controller.same("extraInitContainers", [], objectsOrText, "Init containers of the Pod, templated."),
  controller.same("extraVolumes", [], objects, "Further volumes of the Pod."),
  controller.same("extraVolumeMounts", [], objects, "Further mounts of the controller's container."),
  controller.differs(
    "extraModules",
    [],
    objects,
    "nginx modules, each copied by an init container into a volume at /modules_mount.",
    "A module has to be built for this image's nginx (Debian's, with glibc); one built for ingress-nginx cannot be loaded.",
  ),
];

const workload = [
  controller.same(
    "kind",
    "Deployment",
    oneOf("Deployment", "DaemonSet"),
    "Kind of the workload. Only a Deployment has autoscalers and a disruption budget.",
  ),
  controller.same("annotations", {}, texts, "Annotations of the workload and of its disruption budget."),
  controller.same("labels", {}, texts, "Labels of the workload, its Pods and most of the controller's objects."),
  controller.same("podAnnotations", {}, texts, "Annotations of the Pods."),
  controller.same("podLabels", {}, texts, "Labels of the Pods."),
  controller.same(
    "updateStrategy",
    {},
    object,
    "How Pods are replaced: strategy of a Deployment, updateStrategy of a DaemonSet.",
  ),
  controller.same(
    "progressDeadlineSeconds",
    0,
    whole,
    "Progress deadline of a Deployment, in seconds; 0 means Kubernetes' default.",
  ),
  controller.same(
    "minReadySeconds",
    0,
    whole,
    "Seconds for which a new Pod must be ready before it counts as available.",
  ),
];

const pod = [
  controller.same("podSecurityContext", {}, object, "Security context of the Pod."),
  controller.differs(
    "sysctls",
    {},
    texts,
    "Sysctls of the Pod.",
    "The chart adds net.ipv4.ip_unprivileged_port_start=0 (see sluice.unprivilegedPortSysctl); an entry of this value overrides it.",
  ),
  controller.same(
    "terminationGracePeriodSeconds",
    300,
    whole,
    "Longest time for the termination of a Pod, in seconds; longer than worker-shutdown-timeout.",
  ),
  controller.same("tolerations", [], objects, "Tolerations of the Pods."),
  controller.same("affinity", {}, objectOrText, "Affinity of the Pods, templated."),
  controller.same(
    "topologySpreadConstraints",
    [],
    objectsOrText,
    "Constraints for spreading the Pods over nodes, templated.",
  ),
  controller.same("nodeSelector", { "kubernetes.io/os": "linux" }, texts, "Nodes that the Pods may run on."),
  controller.same("priorityClassName", "", text, "Priority class of the Pods."),
  controller.same("runtimeClassName", "", text, "Runtime class of the Pods."),
  controller.same("dnsConfig", {}, object, "DNS settings of the Pods."),
  controller.same(
    "dnsPolicy",
    "ClusterFirst",
    dnsPolicy,
    "DNS policy; with hostNetwork, ClusterFirstWithHostNet keeps the cluster's DNS.",
  ),
  controller.same("hostAliases", [], objectsOrNone, "Lines for the Pods' hosts file, templated."),
  controller.same("hostname", {}, { type: ["string", "object", "null"] }, "Host name of the Pods."),
  controller.differs(
    "hostNetwork",
    false,
    testedAndCopied,
    "Runs the Pods in the node's network.",
    "The Pod gets the capability NET_BIND_SERVICE in place of the port sysctl, which cannot be set on the node's network.",
  ),
  section("controller.hostPort").same("enabled", false, flag, "Opens the ports on the node."),
  section("controller.hostPort.ports").same(
    "http",
    80,
    port,
    "The node's port for http; other keys of containerPort are named the same way.",
  ),
  section("controller.hostPort.ports").same("https", 443, port, "The node's port for https."),
  controller.same(
    "shareProcessNamespace",
    false,
    testedAndCopied,
    "Lets the containers of the Pod see each other's processes.",
  ),
  section("controller.networkPolicy").same(
    "enabled",
    false,
    flag,
    "Creates a NetworkPolicy. It permits connections to the ports of the container, metrics, webhook, TCP and UDP, and all outgoing connections.",
  ),
];

export const podValues = [...container, ...workload, ...pod];

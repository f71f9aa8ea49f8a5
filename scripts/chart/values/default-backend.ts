/**
 * The default backend that the chart can install. It is served by Sluice's own image unless another
 * one is named: 404 for every path and 200 for /healthz, as the image that ingress-nginx installs.
 */
import {
  copiedFlag,
  flag,
  object,
  objectOrText,
  objects,
  objectsOrText,
  oneOf,
  optionalWhole,
  port,
  seccompProfile,
  serviceType,
  share,
  text,
  texts,
  version,
  whole,
  words,
} from "../shape.ts";
import { type ChartValue, section } from "../value.ts";

const backend = section("defaultBackend");
const image = section("defaultBackend.image");
const account = section("defaultBackend.serviceAccount");
const autoscaling = section("defaultBackend.autoscaling");
const service = section("defaultBackend.service");

const ownImage =
  "Empty by default, which means the controller's image; defaultbackend-amd64 means it too. Name an image of your own to serve your own pages.";
const probe = {
  failureThreshold: 3,
  initialDelaySeconds: 30,
  periodSeconds: 10,
  successThreshold: 1,
  timeoutSeconds: 5,
};

const images = [
  image.same("registry", undefined, text, "Registry of the image, in place of global.image.registry."),
  image.same("repository", undefined, text, "Whole path of the image, in place of registry and image."),
  image.differs("image", "", text, "Path of the image below the registry.", ownImage),
  image.differs("tag", "", version, "Tag of the image.", "Empty by default, with the image."),
  image.same("digest", undefined, text, "Digest of the image."),
  image.same("pullPolicy", "IfNotPresent", oneOf("Always", "IfNotPresent", "Never"), "Pull policy of the image."),
  image.same("runAsNonRoot", true, copiedFlag, "The kubelet refuses to start the container as root."),
  image.same("runAsUser", 65534, whole, "User id of the container."),
  image.same("runAsGroup", 65534, whole, "Group id of the container."),
  image.same("allowPrivilegeEscalation", false, copiedFlag, "Whether a program in the container may gain privileges."),
  section("defaultBackend.image.seccompProfile").same(
    "type",
    "RuntimeDefault",
    seccompProfile,
    "The container's seccomp profile.",
  ),
  image.same("readOnlyRootFilesystem", true, copiedFlag, "Makes the container's root file system read-only."),
];

const pods = [
  backend.differs(
    "extraArgs",
    {},
    texts,
    "Arguments of the container, written like controller.extraArgs.",
    "Sluice's own default backend takes only --port and refuses all other flags.",
  ),
  backend.same("extraEnvs", [], objects, "Environment variables of the container."),
  backend.same("port", 8080, port, "Port of the container and of its probes."),
  backend.same("livenessProbe", probe, object, "Timing of the liveness probe on /healthz."),
  backend.same(
    "readinessProbe",
    { ...probe, failureThreshold: 6, initialDelaySeconds: 0, periodSeconds: 5 },
    object,
    "Timing of the readiness probe on /healthz.",
  ),
  account.same("create", true, flag, "Creates the ServiceAccount."),
  account.same("name", "", text, "Its name. Default: the full name and -backend."),
  account.same("automountServiceAccountToken", true, copiedFlag, "Mounts its token; the account has no permissions."),
  backend.same("updateStrategy", {}, object, "How Pods are replaced."),
  backend.same("minReadySeconds", 0, whole, "Seconds for which a new Pod must be ready before it counts as available."),
  backend.same("tolerations", [], objects, "Tolerations of the Pods."),
  backend.same("affinity", {}, objectOrText, "Affinity of the Pods, templated."),
  backend.same(
    "topologySpreadConstraints",
    [],
    objectsOrText,
    "Constraints for spreading the Pods over nodes, templated.",
  ),
  backend.same("podSecurityContext", {}, object, "Security context of the Pods."),
  backend.same(
    "containerSecurityContext",
    {},
    object,
    "Replaces the container's security context that the chart computes.",
  ),
  backend.same("podLabels", {}, texts, "Labels of the Pods."),
  backend.same("podAnnotations", {}, texts, "Annotations of the Pods."),
  backend.same("labels", {}, texts, "Labels of every object of the default backend."),
  backend.same("nodeSelector", { "kubernetes.io/os": "linux" }, texts, "Nodes that the Pods may run on."),
  backend.same("resources", {}, object, "Resources of the container."),
  backend.same("extraVolumeMounts", [], objects, "Further mounts of the container."),
  backend.same("extraVolumes", [], objectsOrText, "Further volumes of the Pods, templated."),
  backend.same("extraConfigMaps", [], objects, "ConfigMaps to create, each with name, labels and data."),
  backend.same("priorityClassName", "", text, "Priority class of the Pods."),
  backend.same("runtimeClassName", "", text, "Runtime class of the Pods."),
];

const around: readonly ChartValue[] = [
  backend.same("replicaCount", 1, whole, "Number of Pods, while the autoscaler is off."),
  backend.same(
    "minAvailable",
    1,
    share,
    "Smallest number of Pods that stay when a node is drained. With more than one replica there is a disruption budget.",
  ),
  backend.same(
    "maxUnavailable",
    undefined,
    share,
    "Largest number of Pods that may be evicted at the same time; replaces minAvailable.",
  ),
  backend.same(
    "unhealthyPodEvictionPolicy",
    "",
    text,
    "When unhealthy Pods may be evicted: AlwaysAllow or IfHealthyBudget.",
  ),
  autoscaling.same("enabled", false, flag, "Creates a HorizontalPodAutoscaler for the default backend."),
  autoscaling.same("annotations", {}, texts, "Annotations of the autoscaler."),
  autoscaling.same("minReplicas", 1, whole, "Smallest number of Pods."),
  autoscaling.same("maxReplicas", 2, whole, "Largest number of Pods."),
  autoscaling.same("targetCPUUtilizationPercentage", 50, optionalWhole, "Target for CPU, in percent of the request."),
  autoscaling.same(
    "targetMemoryUtilizationPercentage",
    50,
    optionalWhole,
    "Target for memory, in percent of the request.",
  ),
  section("defaultBackend.networkPolicy").same(
    "enabled",
    false,
    flag,
    "Creates a NetworkPolicy. It permits connections to the backend's port, and no outgoing ones.",
  ),
  service.same("annotations", {}, texts, "Annotations of its Service."),
  service.same("clusterIP", undefined, text, "Cluster address of its Service."),
  service.same("clusterIPs", [], words, "Cluster addresses of its Service, for two IP families."),
  service.same("externalIPs", [], words, "External addresses of its Service."),
  service.same("loadBalancerIP", undefined, text, "Address that its Service requests from the load balancer."),
  service.same("loadBalancerSourceRanges", [], words, "Address ranges of clients that its load balancer accepts."),
  service.same("servicePort", 80, port, "Port of its Service."),
  service.same("type", "ClusterIP", serviceType, "Type of its Service."),
];

export const defaultBackend = [
  backend.same("enabled", false, flag, "Installs a default backend, and passes its Service to the controller."),
  backend.same("name", "defaultbackend", text, "Suffix of the names of its objects."),
  ...images,
  ...pods,
  ...around,
];

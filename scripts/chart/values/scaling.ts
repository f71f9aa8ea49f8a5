/**
 * The number of Pods: replicas, autoscalers, and the number of Pods that may be unavailable at a
 * time.
 */
import { flag, object, objects, optionalWhole, share, text, texts, whole } from "../shape.ts";
import { section } from "../value.ts";

const controller = section("controller");
const autoscaling = section("controller.autoscaling");
const keda = section("controller.keda");

export const scaling = [
  controller.same("replicaCount", 1, whole, "Pods of a Deployment, while no autoscaler sets them."),
  controller.same(
    "minAvailable",
    1,
    share,
    "Pods that stay when a node is drained. The budget exists once at least two Pods are sure to run.",
  ),
  controller.same("maxUnavailable", undefined, share, "Pods that may be evicted at once; replaces minAvailable."),
  controller.same("unhealthyPodEvictionPolicy", "", text, "Whether unhealthy Pods may always go."),
  autoscaling.same("enabled", false, flag, "HorizontalPodAutoscaler of a Deployment, while keda is off."),
  autoscaling.same("annotations", {}, texts, "Annotations of the autoscaler."),
  autoscaling.same("minReplicas", 1, whole, "Smallest number of Pods; also decides about the disruption budget."),
  autoscaling.same("maxReplicas", 11, whole, "Largest number of Pods."),
  autoscaling.same(
    "targetCPUUtilizationPercentage",
    50,
    optionalWhole,
    "Target for CPU, percent of the request; empty leaves it out.",
  ),
  autoscaling.same(
    "targetMemoryUtilizationPercentage",
    50,
    optionalWhole,
    "Target for memory, percent of the request; empty leaves it out.",
  ),
  autoscaling.same("behavior", {}, object, "How fast the autoscaler may act."),
  controller.same("autoscalingTemplate", [], objects, "Further metrics of the autoscaler."),
  keda.same("enabled", false, flag, "ScaledObject of a Deployment, while autoscaling is off."),
  keda.same(
    "apiVersion",
    "keda.sh/v1alpha1",
    text,
    "API version of the ScaledObject. keda.k8s.io/v1alpha1 names its target as KEDA 1 does.",
  ),
  keda.same("minReplicas", 1, whole, "Smallest number of Pods; also decides about the disruption budget."),
  keda.same("maxReplicas", 11, whole, "Largest number of Pods."),
  keda.same("pollingInterval", 30, whole, "Seconds between checks of the triggers."),
  keda.same("cooldownPeriod", 300, whole, "Seconds to wait before the fewest Pods."),
  keda.same(
    "fallback",
    undefined,
    object,
    "Behaviour while triggers cannot be read: failureThreshold (3) and replicas (maxReplicas).",
  ),
  keda.same(
    "restoreToOriginalReplicaCount",
    false,
    flag,
    "Restores the original number of Pods when the ScaledObject is deleted.",
  ),
  section("controller.keda.scaledObject").same("annotations", {}, texts, "Annotations of the ScaledObject."),
  keda.same("triggers", [], objects, "Triggers of the ScaledObject."),
  keda.same("behavior", {}, object, "How fast the autoscaler may act."),
];

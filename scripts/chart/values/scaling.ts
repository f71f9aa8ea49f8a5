/**
 * The number of Pods: replicas, autoscalers, and the number of Pods that may be unavailable at a
 * time.
 */
import { copiedFlag, flag, object, objects, optionalWhole, share, text, texts, whole } from "../shape.ts";
import { section } from "../value.ts";

const controller = section("controller");
const autoscaling = section("controller.autoscaling");
const keda = section("controller.keda");

export const scaling = [
  controller.same("replicaCount", 1, whole, "Number of Pods of a Deployment, while no autoscaler sets it."),
  controller.same(
    "minAvailable",
    1,
    share,
    "Smallest number of Pods that stay when a node is drained. A disruption budget is created only if at least two Pods always run.",
  ),
  controller.same(
    "maxUnavailable",
    undefined,
    share,
    "Largest number of Pods that may be evicted at the same time; replaces minAvailable.",
  ),
  controller.same(
    "unhealthyPodEvictionPolicy",
    "",
    text,
    "When unhealthy Pods may be evicted: AlwaysAllow or IfHealthyBudget.",
  ),
  autoscaling.same("enabled", false, flag, "Creates a HorizontalPodAutoscaler for a Deployment, while keda is off."),
  autoscaling.same("annotations", {}, texts, "Annotations of the autoscaler."),
  autoscaling.same("minReplicas", 1, whole, "Smallest number of Pods; above 1 there is a disruption budget."),
  autoscaling.same("maxReplicas", 11, whole, "Largest number of Pods."),
  autoscaling.same(
    "targetCPUUtilizationPercentage",
    50,
    optionalWhole,
    "Target for CPU, in percent of the request; empty means no target.",
  ),
  autoscaling.same(
    "targetMemoryUtilizationPercentage",
    50,
    optionalWhole,
    "Target for memory, in percent of the request; empty means no target.",
  ),
  autoscaling.same("behavior", {}, object, "Limits how fast the autoscaler may change the number of Pods."),
  controller.same("autoscalingTemplate", [], objects, "Further metrics of the autoscaler."),
  keda.same("enabled", false, flag, "Creates a ScaledObject for a Deployment, while autoscaling is off."),
  keda.same(
    "apiVersion",
    "keda.sh/v1alpha1",
    text,
    "API version of the ScaledObject. keda.k8s.io/v1alpha1 names its target as KEDA 1 does.",
  ),
  keda.same("minReplicas", 1, whole, "Smallest number of Pods; above 1 there is a disruption budget."),
  keda.same("maxReplicas", 11, whole, "Largest number of Pods."),
  keda.same("pollingInterval", 30, whole, "Seconds between checks of the triggers."),
  keda.same("cooldownPeriod", 300, whole, "Seconds to wait before scaling down to the smallest number of Pods."),
  keda.same(
    "fallback",
    undefined,
    object,
    "Behaviour while triggers cannot be read: failureThreshold (3) and replicas (maxReplicas).",
  ),
  keda.same(
    "restoreToOriginalReplicaCount",
    false,
    copiedFlag,
    "Restores the original number of Pods when the ScaledObject is deleted.",
  ),
  section("controller.keda.scaledObject").same("annotations", {}, texts, "Annotations of the ScaledObject."),
  keda.same("triggers", [], objects, "Triggers of the ScaledObject."),
  keda.same("behavior", {}, object, "Limits how fast the autoscaler may change the number of Pods."),
];

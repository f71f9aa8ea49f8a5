/**
 * Conditions under which a probe has an effect, and probes that cannot be derived from the shape of
 * a value.
 */
import type { Json } from "../../../scripts/chart/value.ts";

type Flat = Readonly<Record<string, Json>>;

/** Values to set, by the beginning of a path. All that match are set. */
const conditions: readonly (readonly [prefix: string, set: Flat])[] = [
  ["portNamePrefix", { tcp: { "9000": "default/tcp:9000" } }],
  ["rbac.scope", { "controller.scope.enabled": true }],
  ["sluice.nginxContainer.resources", { "sluice.nginxContainer.enabled": true }],
  ["sluice.gateway.ports", { "controller.networkPolicy.enabled": true }],
  ["sluice.gateway.services.", { "sluice.gateway.services.enabled": true }],
  ["controller.tcp.", { tcp: { "9000": "default/tcp:9000" } }],
  ["controller.udp.", { udp: { "53": "default/udp:53" } }],
  ["controller.customTemplate.configMapKey", { "controller.customTemplate.configMapName": "own" }],
  ["controller.reportNodeInternalIp", { "controller.hostNetwork": true }],
  ["controller.scope.namespace", { "controller.scope.enabled": true }],
  ["controller.hostPort.ports", { "controller.hostPort.enabled": true }],
  ["controller.autoscaling.", { "controller.autoscaling.enabled": true }],
  ["controller.autoscalingTemplate", { "controller.autoscaling.enabled": true }],
  ["controller.keda.", { "controller.keda.enabled": true }],
  ["controller.minAvailable", { "controller.replicaCount": 3 }],
  ["controller.maxUnavailable", { "controller.replicaCount": 3 }],
  ["controller.unhealthyPodEvictionPolicy", { "controller.replicaCount": 3 }],
  ["controller.service.nodePorts.tcp", { tcp: { "9000": "default/tcp:9000" } }],
  ["controller.service.nodePorts.udp", { udp: { "53": "default/udp:53" } }],
  [
    "controller.service.internal.",
    { "controller.service.internal.enabled": true, "controller.service.internal.annotations": { a: "b" } },
  ],
  ["controller.service.internal.nodePorts.tcp", { tcp: { "9000": "default/tcp:9000" } }],
  ["controller.service.internal.nodePorts.udp", { udp: { "53": "default/udp:53" } }],
  ["controller.admissionWebhooks.certificate", { "controller.admissionWebhooks.patch.enabled": false }],
  ["controller.admissionWebhooks.key", { "controller.admissionWebhooks.patch.enabled": false }],
  ["controller.admissionWebhooks.certManager.", { "controller.admissionWebhooks.certManager.enabled": true }],
  ["controller.metrics.", { "controller.metrics.enabled": true }],
  ["controller.metrics.service.nodePort", { "controller.metrics.service.type": "NodePort" }],
  ["controller.metrics.serviceMonitor.", { "controller.metrics.serviceMonitor.enabled": true }],
  ["controller.metrics.prometheusRule.", { "controller.metrics.prometheusRule.enabled": true }],
  ["defaultBackend.", { "defaultBackend.enabled": true }],
  ["defaultBackend.image.", { "defaultBackend.image.image": "own/backend" }],
  ["defaultBackend.autoscaling.", { "defaultBackend.autoscaling.enabled": true }],
  ["defaultBackend.minAvailable", { "defaultBackend.replicaCount": 2 }],
  ["defaultBackend.maxUnavailable", { "defaultBackend.replicaCount": 2 }],
  ["defaultBackend.unhealthyPodEvictionPolicy", { "defaultBackend.replicaCount": 2 }],
];

/** Returns the conditions for a path, without the value that the probe itself changes. */
export function given(path: string): Flat {
  const sets = conditions.filter(([prefix]) => path.startsWith(prefix)).map(([, set]) => set);
  const { [path]: _, ...rest } = Object.assign({}, ...sets) as Record<string, Json>;
  return path === "controller.scope.namespaceSelector" ? {} : rest;
}

export const probes: Flat = {
  tcp: { "9000": "default/tcp:9000" },
  udp: { "53": "default/udp:53" },
  "controller.extraArgs": { v: 2 },
  "controller.service.internal.enabled": true,
  "controller.service.internal.annotations": { c: "d" },
  "controller.service.nodePorts.tcp": { "9000": 30900 },
  "controller.service.nodePorts.udp": { "53": 30053 },
  "controller.service.internal.nodePorts.tcp": { "9000": 30900 },
  "controller.service.internal.nodePorts.udp": { "53": 30053 },
  "controller.image.tag": "0.2.0",
  "controller.livenessProbe": { tcpSocket: { port: 10254 } },
  "controller.readinessProbe": { tcpSocket: { port: 10254 } },
  "controller.containerPort": { http: 8080 },
  "controller.hostname": "probe",
  "controller.admissionWebhooks.certManager.rootCert.revisionHistoryLimit": 5,
};

/**
 * Keys that must have a value. Helm takes a key without a value for one whose default is removed,
 * and the templates cannot render what is then missing. A test removes every key of values.yaml.
 */

export interface Needed {
  readonly path: string;
  /** The value that turns on the objects for which the key is needed. */
  readonly if?: string;
}

const always = [
  "global",
  "global.image",
  "rbac",
  "serviceAccount",
  "controller",
  "controller.name",
  ...["image", "image.image", "ingressClassResource", "publishService", "scope", "customTemplate", "hostPort"].map(
    (key) => `controller.${key}`,
  ),
  ...["networkPolicy", "autoscaling", "keda", "service", "service.external", "service.internal", "metrics"].map(
    (key) => `controller.${key}`,
  ),
  "controller.admissionWebhooks",
  "defaultBackend",
];

const whenOn = (on: string, paths: readonly string[]): Needed[] => paths.map((path) => ({ path, if: on }));
const below = (above: string, keys: readonly string[]): string[] => keys.map((key) => `${above}.${key}`);

export const needed: readonly Needed[] = [
  ...always.map((path) => ({ path })),
  ...whenOn("tcp", ["controller.tcp"]),
  ...whenOn("udp", ["controller.udp"]),
  ...whenOn("controller.service.enabled", below("controller.service", ["ports", "targetPorts"])),
  ...whenOn(
    "controller.metrics.enabled",
    below("controller.metrics", ["port", "service", "service.servicePort", "serviceMonitor", "prometheusRule"]),
  ),
  ...whenOn(
    "controller.admissionWebhooks.enabled",
    below("controller.admissionWebhooks", ["name", "port", "service", "service.servicePort", "certManager"]),
  ),
  ...whenOn("controller.admissionWebhooks.enabled", below("controller.admissionWebhooks", ["patch", "patch.rbac"])),
  ...whenOn("defaultBackend.enabled", below("defaultBackend", ["name", "port", "image", "serviceAccount", "service"])),
  ...whenOn("defaultBackend.enabled", below("defaultBackend", ["service.servicePort", "autoscaling", "networkPolicy"])),
];

export const neededFile = (): string => `${JSON.stringify(needed, null, 2)}\n`;

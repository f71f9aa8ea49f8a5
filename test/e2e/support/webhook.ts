/**
 * Registers the webhook with the API server, which finds it as in a cluster with a kube-proxy: the
 * ClusterIP is an address of this machine.
 */
import type { Cluster } from "./cluster.ts";
import { apply, ownPod } from "./sluice.ts";

export const hook = "sluice-admission";
const clusterIP = "10.96.77.77";
const port = 8443;
const service = { namespace: ownPod.namespace, name: "sluice-controller-admission" };

const rule = {
  apiGroups: ["networking.k8s.io"],
  apiVersions: ["v1"],
  operations: ["CREATE", "UPDATE"],
  resources: ["ingresses"],
};
const registration = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: hook },
  webhooks: [
    {
      name: "validate.nginx.ingress.kubernetes.io",
      rules: [rule],
      failurePolicy: "Fail",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      // This is the longest time that an API server allows, because the test needs the answer.
      timeoutSeconds: 30,
      clientConfig: { service: { ...service, port, path: "/networking/v1/ingresses" } },
    },
    {
      name: "warn.gateway.sluice.dev",
      rules: [{ ...rule, apiGroups: ["gateway.networking.k8s.io"], resources: ["gateways", "httproutes"] }],
      failurePolicy: "Ignore",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 30,
      clientConfig: { service: { ...service, port, path: "/gateway/v1" } },
    },
  ],
};

/** Installs the webhook; call it after `installPod`. */
export async function installWebhook(cluster: Cluster): Promise<void> {
  const addressed = { apiVersion: "v1", kind: "Service", metadata: service, spec: { clusterIP, ports: [{ port }] } };
  await apply(cluster, [addressed, registration]);
}

export const webhookAddress = { host: clusterIP, port };

/** The flags of a controller that makes the certificate itself. */
export const webhookFlags: readonly string[] = [
  `--validating-webhook=${clusterIP}:${port}`,
  `--validating-webhook-certificate-secret=${ownPod.namespace}/${hook}`,
  `--validating-webhook-configuration=${hook}`,
];

/** Applies an object and returns kubectl's messages, including warnings. */
export async function tried(cluster: Cluster, object: object): Promise<string> {
  try {
    await cluster.kubectl(["apply", "--server-side", "--warnings-as-errors", "-f", "-"], {
      input: JSON.stringify(object),
    });
    return "";
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr ?? error);
  }
}

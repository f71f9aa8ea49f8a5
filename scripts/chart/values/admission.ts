/**
 * The admission webhook. Its certificate is the controller's own work: it makes the Secret, serves
 * from it, renews it, and writes the CA into the webhook configuration. So there are no jobs and no
 * third image, and values for the jobs have no effect.
 */
import {
  failurePolicy,
  flag,
  object,
  objects,
  optionalWhole,
  port,
  serviceType,
  text,
  texts,
  version,
  whole,
  words,
} from "../shape.ts";
import { type ChartValue, section } from "../value.ts";

const webhook = section("controller.admissionWebhooks");
const service = section("controller.admissionWebhooks.service");
const patch = section("controller.admissionWebhooks.patch");
const certManager = section("controller.admissionWebhooks.certManager");

const noJobs = "There are no certificate jobs: the controller makes and renews the certificate.";

const hook = [
  webhook.same("enabled", true, flag, "Sets up the admission webhook: flags, port, Service and webhook configuration."),
  webhook.same("name", "admission", text, "Suffix of the names of the webhook's objects and of its Secret."),
  webhook.differs(
    "annotations",
    {},
    texts,
    "Annotations of the webhook configuration.",
    "There are no jobs that could have them.",
  ),
  webhook.same("labels", {}, texts, "Labels of the webhook configuration."),
  webhook.noMeaning("extraEnvs", [], objects, noJobs),
  webhook.same("failurePolicy", "Fail", failurePolicy, "What the API server does when the webhook cannot be reached."),
  webhook.same("timeoutSeconds", undefined, whole, "Seconds for which the API server waits for the webhook."),
  webhook.same("port", 8443, port, "Port of the webhook in the Pod."),
  webhook.differs(
    "certificate",
    "/usr/local/certificates/cert",
    text,
    "File with the webhook's certificate.",
    "Read only if patch.enabled is off or cert-manager is on. Otherwise the certificate comes from the Secret, without a file.",
  ),
  webhook.differs(
    "key",
    "/usr/local/certificates/key",
    text,
    "File with the key of that certificate.",
    "Read only if patch.enabled is off or cert-manager is on.",
  ),
  webhook.same("namespaceSelector", {}, object, "Namespaces whose Ingresses are reviewed."),
  webhook.same("objectSelector", {}, object, "Ingresses that are reviewed."),
  service.same("servicePort", 443, port, "Port of the webhook's Service."),
  service.same("type", "ClusterIP", serviceType, "Type of that Service."),
  service.same("annotations", {}, texts, "Annotations of that Service."),
  service.same("clusterIP", undefined, text, "Cluster address of that Service."),
  service.same("externalIPs", [], words, "External addresses of that Service."),
  service.same("loadBalancerIP", undefined, text, "Address that the Service requests from the load balancer."),
  service.same("loadBalancerSourceRanges", [], words, "Address ranges of clients that its load balancer accepts."),
];

/**
 * Values of the jobs that ingress-nginx needs: `create` makes the Secret, `patch` writes the CA.
 */
function job(name: string, suffix: string): readonly ChartValue[] {
  const one = section(`controller.admissionWebhooks.${name}`);
  const securityContext = {
    runAsNonRoot: true,
    runAsUser: 65532,
    runAsGroup: 65532,
    allowPrivilegeEscalation: false,
    seccompProfile: { type: "RuntimeDefault" },
    capabilities: { drop: ["ALL"] },
    readOnlyRootFilesystem: true,
  };
  return [
    one.noMeaning("name", suffix, text, noJobs),
    one.noMeaning("activeDeadlineSeconds", 0, whole, noJobs),
    one.noMeaning("securityContext", securityContext, object, noJobs),
    one.noMeaning("resources", {}, object, noJobs),
    one.noMeaning("volumeMounts", [], objects, noJobs),
    one.noMeaning("volumes", [], objects, noJobs),
  ];
}

const image = section("controller.admissionWebhooks.patch.image");
const account = section("controller.admissionWebhooks.patch.serviceAccount");
const ownAccount = "The controller's own ServiceAccount has these permissions.";

const patching = [
  patch.differs(
    "enabled",
    true,
    flag,
    "Creates the webhook's certificate, and writes its CA into the webhook configuration.",
    "The controller does both, at its start and before the certificate expires; there are no jobs. The Secret and its keys (ca, cert, key) are the same, so an existing Secret stays in use.",
  ),
  image.noMeaning("registry", undefined, text, noJobs),
  image.noMeaning("repository", undefined, text, noJobs),
  image.noMeaning("image", "ingress-nginx/kube-webhook-certgen", text, noJobs),
  image.noMeaning("tag", "v1.6.9", version, noJobs),
  image.noMeaning("digest", "sha256:01038e7de14b78d702d2849c3aad72fd25903c4765af63cf16aa3398f5d5f2dd", text, noJobs),
  image.noMeaning("pullPolicy", "IfNotPresent", text, noJobs),
  patch.noMeaning("priorityClassName", "", text, noJobs),
  patch.noMeaning("runtimeClassName", "", text, noJobs),
  patch.noMeaning("podAnnotations", {}, texts, noJobs),
  patch.noMeaning("labels", {}, texts, noJobs),
  patch.noMeaning("nodeSelector", { "kubernetes.io/os": "linux" }, texts, noJobs),
  patch.noMeaning("tolerations", [], objects, noJobs),
  patch.noMeaning("securityContext", {}, object, noJobs),
  section("controller.admissionWebhooks.patch.networkPolicy").noMeaning("enabled", false, flag, noJobs),
  section("controller.admissionWebhooks.patch.rbac").differs(
    "create",
    true,
    flag,
    "Creates the roles for the certificate's Secret and for the CA in the webhook configuration.",
    "The roles are bound to the controller's account and limited to these two objects by name.",
  ),
  account.noMeaning("create", true, flag, ownAccount),
  account.noMeaning("name", "", text, ownAccount),
  account.noMeaning("automountServiceAccountToken", true, flag, ownAccount),
  certManager.same(
    "enabled",
    false,
    flag,
    "Lets cert-manager create the certificate: with Issuers, Certificates, and the CA injected into the webhook configuration.",
  ),
  certManager.same(
    "issuerRef",
    undefined,
    object,
    "Issuer of the serving certificate, in place of a chain that the chart creates.",
  ),
  section("controller.admissionWebhooks.certManager.rootCert").same(
    "duration",
    "",
    text,
    "Validity of the root certificate; by default 43800h.",
  ),
  section("controller.admissionWebhooks.certManager.rootCert").same(
    "revisionHistoryLimit",
    0,
    optionalWhole,
    "Revisions of the root certificate to keep, when above 0.",
  ),
  section("controller.admissionWebhooks.certManager.admissionCert").same(
    "duration",
    "",
    text,
    "Validity of the serving certificate; by default 8760h.",
  ),
  section("controller.admissionWebhooks.certManager.admissionCert").same(
    "revisionHistoryLimit",
    0,
    optionalWhole,
    "Revisions of the serving certificate to keep, when above 0.",
  ),
];

export const admission = [
  ...hook,
  ...job("createSecretJob", "create"),
  ...job("patchWebhookJob", "patch"),
  ...patching,
];

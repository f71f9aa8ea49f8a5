/**
 * Values at the top of the file: names, labels, TCP and UDP ports, and the controller's account at
 * the API server.
 */
import { copiedFlag, flag, objects, optionalWhole, text, texts } from "../shape.ts";
import { section } from "../value.ts";

const top = section("");
const image = section("global.image");
const rbac = section("rbac");
const account = section("serviceAccount");

export const naming = [
  top.noMeaning(
    "enabled",
    true,
    flag,
    "A parent chart may use it as the condition of this dependency. Only helm reads it.",
  ),
  top.same(
    "nameOverride",
    undefined,
    text,
    'Replaces the name "ingress-nginx" in labels and in generated names. That is the default although the chart is called sluice, so objects and selectors stay as they are.',
  ),
  top.same("fullnameOverride", undefined, text, "The base name of every object, cut to 63 characters."),
  image.differs(
    "registry",
    "",
    text,
    "Registry of every image that has none of its own.",
    "Empty by default. A registry of the Kubernetes project (a name that ends in .k8s.io, k8s.gcr.io) is ignored, because Sluice is not published there. Any other registry needs a copy of the image sluice/controller.",
  ),
  top.same("namespaceOverride", "", text, "Namespace of every namespaced object, in place of the release's."),
  top.same("commonLabels", {}, texts, "Labels added to every object; selectors stay as they are."),
  top.same(
    "imagePullSecrets",
    [],
    objects,
    "Secrets for pulling the images of the controller and of the default backend.",
  ),
  top.same(
    "revisionHistoryLimit",
    10,
    optionalWhole,
    "How many old revisions the controller and the default backend keep.",
  ),
  top.same("portNamePrefix", "", text, "Prefix of the names of TCP and UDP ports, in the Pod and in Services."),
  top.same(
    "dhParam",
    "",
    text,
    "Diffie-Hellman parameters, PEM in base64. A Secret holds them, and the ConfigMap key ssl-dh-param names it.",
  ),
  top.same(
    "tcp",
    {},
    texts,
    "TCP ports to serve, each with its target namespace/service:port. Values are templates. Creates the ConfigMap, the flag, and the ports of Pod, Services and NetworkPolicy.",
  ),
  top.same("udp", {}, texts, "UDP ports to serve, written like tcp."),
  rbac.differs(
    "create",
    true,
    flag,
    "Creates the roles that the controller needs, and binds them.",
    "There are fewer permissions: only those that the controller uses. With a watched namespace, Secrets and ConfigMaps of other namespaces are not readable.",
  ),
  rbac.differs(
    "scope",
    false,
    flag,
    "Grants no permissions on the whole cluster; needs controller.scope.enabled.",
    "A watched namespace other than the release's gets a Role of its own, so this combination works.",
  ),
  account.same("create", true, flag, "Creates the controller's ServiceAccount."),
  account.same(
    "name",
    "",
    text,
    "Name of that account. Default: the full name if the chart creates the account, otherwise default.",
  ),
  account.same(
    "automountServiceAccountToken",
    true,
    copiedFlag,
    "Mounts the account's token into the controller's Pod; with sluice.nginxContainer.enabled, into the controller's container alone.",
  ),
  account.same("annotations", {}, texts, "Annotations of the account."),
];

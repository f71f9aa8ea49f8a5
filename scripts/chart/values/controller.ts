/**
 * The controller's own work: its ConfigMaps, flags, class, election, and the namespaces that it
 * watches.
 */
import { flagList } from "../../../src/controller/flags.ts";
import { flagShapes } from "../flag-shape.ts";
import { entries, flag, object, objects, text, texts, words } from "../shape.ts";
import { section } from "../value.ts";

const controller = section("controller");
const ingressClass = section("controller.ingressClassResource");

const settings = [
  controller.same("name", "controller", text, "Suffix of the names of the controller's objects."),
  controller.same(
    "enableAnnotationValidations",
    true,
    flag,
    "false adds --enable-annotation-validation=false: fewer values of annotations are refused.",
  ),
  controller.differs(
    "config",
    {},
    entries,
    "Entries of the settings ConfigMap. Values are templates and become text, a list or a mapping in Go's form.",
    "A whole number written without quotes stays whole: 10485760 does not become 1.048576e+07.",
  ),
  controller.same("configAnnotations", {}, texts, "Annotations of the settings ConfigMap."),
  controller.same(
    "proxySetHeaders",
    {},
    texts,
    "Headers sent to backends: a ConfigMap and the key proxy-set-headers that names it.",
  ),
  controller.same(
    "addHeaders",
    {},
    texts,
    "Headers sent to clients: a ConfigMap and the key add-headers that names it.",
  ),
  controller.same(
    "allowSnippetAnnotations",
    false,
    flag,
    "Lets the annotations of all Ingresses carry pieces of nginx configuration.",
  ),
  controller.same(
    "configMapNamespace",
    "",
    text,
    "Namespace in --configmap; the ConfigMap itself stays in the release's.",
  ),
  section("controller.tcp").same("configMapNamespace", "", text, "Namespace in --tcp-services-configmap."),
  section("controller.tcp").same("annotations", {}, texts, "Annotations of the TCP ConfigMap."),
  section("controller.udp").same("configMapNamespace", "", text, "Namespace in --udp-services-configmap."),
  section("controller.udp").same("annotations", {}, texts, "Annotations of the UDP ConfigMap."),
  section("controller.customTemplate").differs(
    "configMapName",
    "",
    text,
    "ConfigMap with a template of nginx.conf, mounted at /etc/nginx/template.",
    "Templates are Handlebars. One written for ingress-nginx is recognised: the built-in one is used, and a Problem says so.",
  ),
  section("controller.customTemplate").same("configMapKey", "", text, "Key in that ConfigMap that holds nginx.tmpl."),
  controller.noMeaning(
    "maxmindLicenseKey",
    "",
    text,
    "GeoIP databases are not downloaded: mount them at /etc/ingress-controller/geoip with controller.extraVolumes and controller.extraVolumeMounts.",
  ),
  controller.same(
    "extraArgs",
    {},
    flagShapes(flagList.map(([, one]) => one)),
    'Further flags: key and value, or a key alone when the value is empty. update-status: "false" also takes away the right to write status.',
  ),
  controller.same("extraEnvs", [], objects, "Further environment variables, after POD_NAME and POD_NAMESPACE."),
  controller.noMeaning(
    "enableMimalloc",
    true,
    flag,
    "The image uses the allocator of the C library: nothing is preloaded.",
  ),
];

const classes = [
  ingressClass.same("enabled", true, flag, "Creates the IngressClass."),
  ingressClass.same("name", "nginx", text, "Name of the IngressClass."),
  ingressClass.same("default", false, flag, "Makes it the cluster's default class."),
  ingressClass.same("annotations", {}, texts, "Annotations of the IngressClass and of its aliases."),
  ingressClass.same(
    "controllerValue",
    "k8s.io/ingress-nginx",
    text,
    "spec.controller of the class, and --controller-class.",
  ),
  ingressClass.same("aliases", [], words, "Names of further IngressClasses, never the default one."),
  ingressClass.same("parameters", {}, object, "spec.parameters of the IngressClass and of its aliases."),
  controller.same(
    "ingressClass",
    "nginx",
    text,
    "--ingress-class: the value of the old class annotation. Empty: no such flag.",
  ),
  controller.same("ingressClassByName", false, flag, "Adds --ingress-class-by-name=true."),
  controller.same("watchIngressWithoutClass", false, flag, "Adds --watch-ingress-without-class=true."),
];

const cluster = [
  controller.same("electionID", "", text, "Name of the Lease of the election. Default: the full name and -leader."),
  controller.same("electionTTL", "", text, "Adds --election-ttl."),
  controller.same("disableLeaderElection", false, flag, "Adds --disable-leader-election=true."),
  controller.same("enableTopologyAwareRouting", false, flag, "Adds --enable-topology-aware-routing=true."),
  section("controller.publishService").same(
    "enabled",
    true,
    flag,
    "Adds --publish-service: the Service whose addresses Ingresses get as their status.",
  ),
  section("controller.publishService").same(
    "pathOverride",
    "",
    text,
    "Service for --publish-service in place of the controller's own, as namespace/name.",
  ),
  controller.same(
    "reportNodeInternalIp",
    false,
    flag,
    "Adds --report-node-internal-ip-address, with hostNetwork only.",
  ),
  section("controller.scope").same("enabled", false, flag, "Watches one namespace: --watch-namespace."),
  section("controller.scope").same("namespace", "", text, "The watched namespace. Default: the release's."),
  section("controller.scope").same(
    "namespaceSelector",
    "",
    text,
    "Watches the namespaces with these labels: --watch-namespace-selector, while scope is off.",
  ),
];

export const controllerValues = [...settings, ...classes, ...cluster];

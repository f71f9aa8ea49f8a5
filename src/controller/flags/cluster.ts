/** Flags about the API server and the objects that are watched. */
import { optional } from "../../core/kinds/combine.ts";
import { goDuration, labelSelector } from "../../core/kinds/flag-kinds.ts";
import { shaped } from "../../core/kinds/names.ts";
import { flag } from "../flag.ts";
import { dnsName, hostPolicyPlace, objectName, text, toggle } from "./kinds.ts";

const server = shaped({
  label: "an http or https URL",
  shape: /^https?:\/\/[\w.:[\]-]+(\/[\w./-]*)?$/,
  good: ["https://192.0.2.1:6443", "http://localhost:8080", "https://[2001:db8::1]:6443/proxy"],
  bad: ["", "192.0.2.1:6443", "ftp://a", "https://"],
});

const controller = shaped({
  label: "a controller name like k8s.io/ingress-nginx",
  shape: /^[\w.-]{1,253}(\/[\w./-]{1,250})?$/,
  good: ["k8s.io/ingress-nginx"],
  bad: ["", "a b", "/x"],
});

export const apiServer = {
  kubeconfig: flag({
    name: "kubeconfig",
    kind: text,
    default: undefined,
    value: "FILE",
    cluster: true,
    doc: "Kubeconfig file; without it the KUBECONFIG variable, then the Pod's own account.",
  }),
  apiserverHost: flag({
    name: "apiserver-host",
    kind: optional(server),
    default: undefined,
    value: "URL",
    cluster: true,
    doc: "Address of the API server, in place of the one in the Pod's environment.",
  }),
  certificateAuthority: flag({
    name: "certificate-authority",
    kind: text,
    default: undefined,
    value: "FILE",
    cluster: true,
    doc: "CA of the API server that --apiserver-host names.",
  }),
  syncPeriod: flag({
    name: "sync-period",
    kind: goDuration,
    default: 0,
    value: "DURATION",
    cluster: true,
    doc: "Was how often every object is looked at again although nothing changed.",
    noEffect: "a change that was missed is found by the watch itself",
  }),
};

export const objects = {
  ingressClass: flag({
    name: "ingress-class",
    kind: optional(dnsName),
    default: "nginx",
    value: "NAME",
    doc: "Value of the kubernetes.io/ingress.class annotation of Ingresses to serve.",
  }),
  ingressClassByName: toggle({
    name: "ingress-class-by-name",
    default: false,
    doc: "Also serves the IngressClass that is named as --ingress-class.",
  }),
  controllerClass: flag({
    name: "controller-class",
    kind: controller,
    default: "k8s.io/ingress-nginx",
    value: "NAME",
    doc: "spec.controller of the IngressClasses to serve.",
  }),
  watchIngressWithoutClass: toggle({
    name: "watch-ingress-without-class",
    default: false,
    serve: true,
    doc: "Also serves Ingresses that name no class.",
  }),
  watchNamespace: flag({
    name: "watch-namespace",
    kind: optional(dnsName),
    default: undefined,
    value: "NAMESPACE",
    doc: "Serves the objects of this namespace only.",
  }),
  watchNamespaceSelector: flag({
    name: "watch-namespace-selector",
    kind: optional(labelSelector),
    default: undefined,
    value: "SELECTOR",
    doc: "Serves the objects of namespaces with these labels only.",
  }),
  annotationsPrefix: flag({
    name: "annotations-prefix",
    kind: dnsName,
    default: "nginx.ingress.kubernetes.io",
    value: "PREFIX",
    doc: "Prefix of the annotations that configure an Ingress.",
  }),
  enableAnnotationValidation: toggle({
    name: "enable-annotation-validation",
    default: true,
    doc: "Refuses redirects and app-root with unusual characters; without it they may name variables of the request. Other values are typed and quoted either way.",
  }),
  deepInspect: toggle({
    name: "deep-inspect",
    default: true,
    doc: "Ignores Ingresses whose hosts, paths or Secret names look like an attempt to configure nginx.",
  }),
  disableCatchAll: toggle({
    name: "disable-catch-all",
    default: false,
    doc: "Ignores Ingresses that have spec.defaultBackend.",
  }),
  disableSvcExternalName: toggle({
    name: "disable-svc-external-name",
    default: false,
    doc: "Gives Services of type ExternalName no Endpoints.",
  }),
  enableTopologyAwareRouting: toggle({
    name: "enable-topology-aware-routing",
    default: false,
    cluster: true,
    doc: "Prefers the Endpoints that are hinted for the controller's own zone.",
  }),
  hostPolicy: flag({
    name: "host-policy",
    kind: hostPolicyPlace,
    default: undefined,
    value: "NAMESPACE/NAME|labels",
    own: true,
    doc: "Gives hosts to namespaces: a ConfigMap with a namespace as each key and its hosts as the value, or labels of Namespaces. Without it every namespace may use every host.",
  }),
  serviceIngress: toggle({
    name: "service-ingress",
    default: false,
    own: true,
    cluster: true,
    doc: 'Gives each Service annotated ingress/http: "true" an Ingress of its name.',
  }),
  serviceIngressHost: flag({
    name: "service-ingress-host",
    kind: optional(
      shaped({
        label: "a host with {service} in it, like {service}.{namespace}.example.com",
        shape: /^(?=.*\{service\})([a-z\d.-]|\{service\}|\{namespace\})+$/,
        good: ["{service}.{namespace}.example.com", "{service}.example.com"],
        bad: ["", "example.com", "{name}.example.com", "{service} x"],
      }),
    ),
    default: undefined,
    value: "PATTERN",
    own: true,
    cluster: true,
    doc: "Host of the Ingresses that --service-ingress makes: {service}.{namespace}.example.com.",
  }),
  configmap: flag({
    name: "configmap",
    kind: objectName,
    default: undefined,
    serve: "ingress-nginx/ingress-nginx-controller",
    value: "NAMESPACE/NAME",
    doc: "ConfigMap with the settings.",
  }),
  tcpServicesConfigmap: flag({
    name: "tcp-services-configmap",
    kind: objectName,
    default: undefined,
    value: "NAMESPACE/NAME",
    doc: "ConfigMap with the TCP ports to serve.",
  }),
  udpServicesConfigmap: flag({
    name: "udp-services-configmap",
    kind: objectName,
    default: undefined,
    value: "NAMESPACE/NAME",
    doc: "ConfigMap with the UDP ports to serve.",
  }),
  defaultBackendService: flag({
    name: "default-backend-service",
    kind: objectName,
    default: undefined,
    value: "NAMESPACE/NAME",
    doc: "Service that answers for unknown hosts and paths; its first port is used.",
  }),
};

/** Flags about the API server and the objects that are watched. */
import { optional } from "../../core/kinds/combine.ts";
import { labelSelector } from "../../core/kinds/flag-kinds.ts";
import { shaped } from "../../core/kinds/names.ts";
import { flag, inCluster, named, toggle } from "../flag.ts";
import { dnsName, duration, hostPolicyPlace, objectName, text } from "./kinds.ts";

const server = shaped({
  label: "an http or https URL",
  shape: /^https?:\/\/[\w.:[\]-]+(\/[\w./-]*)?$/,
});

const controller = shaped({
  label: "a controller name like k8s.io/ingress-nginx",
  shape: /^[\w.-]{1,253}(\/[\w./-]{1,250})?$/,
});

export const apiServer = inCluster({
  kubeconfig: flag({
    kind: text,
    value: "FILE",
    doc: "Kubeconfig file; without it the KUBECONFIG variable, then the Pod's own account.",
  }),
  apiserverHost: flag({
    kind: optional(server),
    value: "URL",
    doc: "Address of the API server, in place of the one in the Pod's environment.",
  }),
  certificateAuthority: flag({ kind: text, value: "FILE", doc: "CA of the API server that --apiserver-host names." }),
  syncPeriod: flag({
    kind: duration,
    default: 0,
    doc: "Was how often every object is looked at again although nothing changed.",
    noEffect: "a change that was missed is found by the watch itself",
  }),
});

export const objects = named({
  ingressClass: flag({
    kind: optional(dnsName),
    default: "nginx",
    value: "NAME",
    doc: "Value of the kubernetes.io/ingress.class annotation of Ingresses to serve.",
  }),
  ingressClassByName: toggle({ doc: "Also serves the IngressClass that is named as --ingress-class." }),
  controllerClass: flag({
    kind: controller,
    default: "k8s.io/ingress-nginx",
    value: "NAME",
    doc: "spec.controller of the IngressClasses to serve.",
  }),
  watchIngressWithoutClass: toggle({ serve: true, doc: "Also serves Ingresses that name no class." }),
  watchNamespace: flag({
    kind: optional(dnsName),
    value: "NAMESPACE",
    doc: "Serves the objects of this namespace only.",
  }),
  watchNamespaceSelector: flag({
    kind: optional(labelSelector),
    value: "SELECTOR",
    doc: "Serves the objects of namespaces with these labels only.",
  }),
  annotationsPrefix: flag({
    kind: dnsName,
    default: "nginx.ingress.kubernetes.io",
    value: "PREFIX",
    doc: "Prefix of the annotations that configure an Ingress.",
  }),
  enableAnnotationValidation: toggle({
    default: true,
    doc: "Refuses redirects and app-root with unusual characters; without it they may name variables of the request. Other values are typed and quoted either way.",
  }),
  deepInspect: toggle({
    default: true,
    doc: "Ignores Ingresses whose hosts, paths or Secret names look like an attempt to configure nginx.",
  }),
  disableCatchAll: toggle({ doc: "Ignores Ingresses that have spec.defaultBackend." }),
  disableSvcExternalName: toggle({ doc: "Gives Services of type ExternalName no Endpoints." }),
  enableTopologyAwareRouting: toggle({
    cluster: true,
    doc: "Prefers the Endpoints that are hinted for the controller's own zone.",
  }),
  hostPolicy: flag({
    kind: hostPolicyPlace,
    value: "NAMESPACE/NAME|labels",
    own: true,
    doc: "Gives hosts to namespaces: a ConfigMap with a namespace as each key and its hosts as the value, or labels of Namespaces. Without it every namespace may use every host.",
  }),
  serviceIngress: toggle({
    own: true,
    cluster: true,
    doc: 'Gives each Service annotated ingress/http: "true" an Ingress of its name.',
  }),
  serviceIngressHost: flag({
    kind: optional(
      shaped({
        label: "a host with {service} in it, like {service}.{namespace}.example.com",
        shape: /^(?=.*\{service\})([a-z\d.-]|\{service\}|\{namespace\})+$/,
      }),
    ),
    value: "PATTERN",
    own: true,
    cluster: true,
    doc: "Host of the Ingresses that --service-ingress makes: {service}.{namespace}.example.com.",
  }),
  configmap: flag({
    kind: objectName,
    serve: "ingress-nginx/ingress-nginx-controller",
    doc: "ConfigMap with the settings.",
  }),
  tcpServicesConfigmap: flag({ kind: objectName, doc: "ConfigMap with the TCP ports to serve." }),
  udpServicesConfigmap: flag({ kind: objectName, doc: "ConfigMap with the UDP ports to serve." }),
  defaultBackendService: flag({
    kind: objectName,
    doc: "Service that answers for unknown hosts and paths; its first port is used.",
  }),
});

/**
 * Values that only Sluice has. They are all below one key, so that they never collide with a key of
 * ingress-nginx.
 */
import { copiedFlag, object, text, whole, words } from "../shape.ts";
import { section } from "../value.ts";

const sluice = section("sluice");
const gateway = section("sluice.gateway");
const gatewayServices = section("sluice.gateway.services");
const nginxContainer = section("sluice.nginxContainer");

export const own = [
  sluice.own(
    "unprivilegedPortSysctl",
    true,
    copiedFlag,
    "Sets net.ipv4.ip_unprivileged_port_start=0 in the Pod, so that nginx opens ports 80 and 443 without any capability. The kubelet counts this sysctl as safe, and the restricted Pod Security level allows it. If false, the container gets NET_BIND_SERVICE instead.",
  ),
  sluice.own(
    "serviceIngressHost",
    "",
    text,
    'A host like {service}.{namespace}.example.com turns on --service-ingress: each Service with the annotation ingress/http: "true" gets an Ingress with its name for that host. Only then may the account create, patch and delete Ingresses.',
  ),
  sluice.own(
    "hostPolicy",
    "",
    text,
    "Restricts which hosts a namespace may use: the word labels for labels of Namespaces, or a ConfigMap as namespace/name. If empty, every namespace may use every host.",
  ),
  sluice.own(
    "uiPort",
    "",
    text,
    "Port of the page in the browser, on 127.0.0.1 of the Pod. If empty, the page is on the port of health and metrics; 0 turns the page off.",
  ),
  sluice.own(
    "http3",
    false,
    copiedFlag,
    "Serves HTTP/3: sets use-http3, and opens a UDP port beside the https port on the container, the Services and the NetworkPolicy. A load balancer must take TCP and UDP in one Service.",
  ),
  sluice.own(
    "memoryLimit",
    "4Gi",
    text,
    "Memory limit of each container whose resources set no memory of their own beyond the default request, so that a mistake cannot use up the node's memory. If empty, there is no limit.",
  ),
  sluice.own(
    "runInMemory",
    false,
    copiedFlag,
    "Keeps the run folder, which holds keys and passwords, in memory instead of on the node's disk. Its size counts towards the memory limit. A new Pod starts without a journal in both cases.",
  ),
  sluice.own(
    "shutdownGracePeriod",
    30,
    whole,
    "Seconds for which a Pod that ends is not ready and still accepts connections, because load balancers learn late that it ends. At most half of controller.terminationGracePeriodSeconds. The flag shutdown-grace-period in controller.extraArgs comes first.",
  ),
  gateway.own(
    "controllerName",
    "",
    text,
    "Name of the controller in the GatewayClasses that are served. If empty, it is sluice.dev/gateway-controller.",
  ),
  gateway.own(
    "addresses",
    "",
    text,
    "Addresses of the Nodes for Gateways, such as 192.0.2.10-192.0.2.19. Each Gateway gets one of its own. Needs controller.hostNetwork.",
  ),
  gateway.own(
    "shared",
    "",
    text,
    "NAMESPACE/NAME of the Gateway that has the Service, addresses and ports 80 and 443 of the Ingresses. Its routes are served beside the Ingresses of all tenants.",
  ),
  gateway.own("ports", [], words, "Ports of Gateways' listeners that the NetworkPolicy opens."),
  gateway.own(
    "routeSettings",
    false,
    copiedFlag,
    "Installs the definition of RouteSettings, which give routes what annotations give Ingresses. It stays when the release is uninstalled, and only one release of a cluster may install it.",
  ),
  gatewayServices.own(
    "enabled",
    false,
    copiedFlag,
    "Gives each Gateway a Service of its own in the Gateway's namespace, which leads to the controller's Pods. Only then may the account create, patch and delete Services and EndpointSlices.",
  ),
  gatewayServices.own(
    "ports",
    "20000-20999",
    text,
    "Range of ports of the Pods for Gateways, such as 20000-20999. The NetworkPolicy opens them.",
  ),
  gatewayServices.own(
    "metadataPrefixes",
    [],
    words,
    "Labels and annotations in spec.infrastructure of Gateways that are copied to their Services, such as team.example.com/. Authors of Gateways can then configure the programs that read them, such as a cloud's load balancers.",
  ),
  nginxContainer.own(
    "enabled",
    false,
    copiedFlag,
    "Runs nginx in a second container of the Pod, from the same image and without the API token, so that a vulnerability of nginx does not expose the cluster's Secrets.",
  ),
  nginxContainer.own(
    "resources",
    {},
    object,
    "Resources of that container; controller.resources then count for the controller alone.",
  ),
];

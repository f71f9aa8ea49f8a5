/**
 * Manifests that the API server refuses and others that it accepts. The unit tests of
 * `src/edges/folder` use them, and `test/e2e` sends the same to a real API server, so that the two
 * cannot drift apart.
 */

export const ingress = (spec: string, meta = ""): string =>
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web${meta}}\nspec: ${spec}\n`;
const path = (text: string): string => ingress(`{rules: [{http: {paths: [${text}]}}]}`);
const service = (spec: string): string => `apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: ${spec}\n`;
const slice = (rest: string): string =>
  `apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: web}\n${rest}\n`;
const endpoints = (subsets: string): string =>
  `apiVersion: v1\nkind: Endpoints\nmetadata: {name: web}\nsubsets: ${subsets}\n`;
export const secret = (rest: string): string => `apiVersion: v1\nkind: Secret\nmetadata: {name: web}\n${rest}\n`;
const to = "backend: {service: {name: web, port: {number: 80}}}";

/** Each refused manifest with the field at fault, and a part of the message about it. */
export const refused: readonly (readonly [text: string, field: string, why: string])[] = [
  [ingress("{}"), "spec", "it needs rules or defaultBackend"],
  [ingress(`{rules: [{host: 192.0.2.1}]}`), "spec.rules[0].host", "is an address"],
  [ingress(`{rules: [{host: Example.com}]}`), "spec.rules[0].host", 'capital letters; write "example.com"'],
  [ingress(`{rules: [{host: "a.*.com"}]}`), "spec.rules[0].host", "has a * that is not its whole first label"],
  [ingress(`{rules: [{host: "a_b.com"}]}`), "spec.rules[0].host", "is not a DNS name"],
  [ingress(`{rules: [{http: {paths: []}}]}`), "spec.rules[0].http.paths", "the list is empty"],
  [ingress(`{tls: [{hosts: [A.example]}], rules: [{}]}`), "spec.tls[0].hosts[0]", "has capital letters"],
  [ingress(`{tls: [{secretName: a_b}], rules: [{}]}`), "spec.tls[0].secretName", "is not a name"],
  [ingress("{rules: [{host: a..b}]}"), "spec.rules[0].host", "is not a DNS name"],
  [ingress(`{rules: [{host: "*"}]}`), "spec.rules[0].host", "has a *"],
  [ingress("{rules: [{http: {}}]}"), "spec.rules[0].http", "paths is missing"],
  [ingress("{ingressClassName: A, rules: [{}]}"), "spec.ingressClassName", "is not a name"],
  [ingress("{rules: [{}]}", ", annotations: {a b: x}"), 'metadata.annotations["a b"]', "is not a key"],
  [ingress("{rules: [{}]}", ", labels: {a: b c}"), "metadata.labels.a", "is not the value of a label"],
  [path(`{path: a, pathType: ImplementationSpecific, ${to}}`), "spec.rules[0].http.paths[0].path", "does not begin"],
  [path(`{path: /%2F, pathType: Exact, ${to}}`), "spec.rules[0].http.paths[0].path", "has %2F in it"],
  [
    path("{path: /, pathType: Prefix, backend: {service: {name: a.b, port: {number: 80}}}}"),
    "spec.rules[0].http.paths[0].backend.service.name",
    "is not a name",
  ],
  [
    path("{path: /, pathType: Prefix, backend: {service: {name: web, port: {name: abcdefghijklmnop}}}}"),
    "spec.rules[0].http.paths[0].backend.service.port.name",
    "is not the name of a port",
  ],
  [
    path(`{path: /, pathType: Prefix, backend: {service: {name: web, port: {name: "80"}}}}`),
    "spec.rules[0].http.paths[0].backend.service.port.name",
    "is not the name of a port",
  ],
  [ingress(`{rules: {host: a}}`), "spec.rules", "a mapping is given where a list is required"],
  [path(`{path: /, ${to}}`), "spec.rules[0].http.paths[0]", "pathType is missing"],
  [path(`{path: /, pathType: prefix, ${to}}`), "spec.rules[0].http.paths[0].pathType", "is not one of Exact, Prefix"],
  [path(`{path: a, pathType: Prefix, ${to}}`), "spec.rules[0].http.paths[0].path", "does not begin with /"],
  [path(`{pathType: Exact, ${to}}`), "spec.rules[0].http.paths[0]", "does not begin with /"],
  [path(`{path: /a//b, pathType: Exact, ${to}}`), "spec.rules[0].http.paths[0].path", "has // in it"],
  [path(`{path: /a/.., pathType: Prefix, ${to}}`), "spec.rules[0].http.paths[0].path", "has /.. in it"],
  [
    path(`{path: /, pathType: Prefix, backend: {}}`),
    "spec.rules[0].http.paths[0].backend",
    "needs service or resource",
  ],
  [
    path(`{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80, name: http}}}}`),
    "spec.rules[0].http.paths[0].backend.service.port",
    "name and number exclude each other",
  ],
  [
    path(`{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 65536}}}}`),
    "spec.rules[0].http.paths[0].backend.service.port.number",
    "65536 is not a whole number from 1 to 65535",
  ],
  [
    path(`{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: "80"}}}}`),
    "spec.rules[0].http.paths[0].backend.service.port.number",
    "is text because of its quotes",
  ],
  [
    ingress("{rules: [{}]}", ", annotations: {a/b: false}"),
    'metadata.annotations["a/b"]',
    "false is given where text is required",
  ],
  [
    ingress("{rules: [{}]}", ", annotations: {a/b: on}"),
    'metadata.annotations["a/b"]',
    "true is given where text is required",
  ],
  [
    ingress("{rules: [{}]}", ", annotations: {a/b: 10}"),
    'metadata.annotations["a/b"]',
    "a number is given where text is required",
  ],
  [ingress("{rules: [{}]}", ", namespace: A"), "metadata.namespace", "is not a name"],
  [ingress("{rules: [{}]}", ", creationTimestamp: today"), "metadata.creationTimestamp", "is not a time"],
  ["apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}", "apiVersion", "write networking.k8s.io/v1"],
  [endpoints("[{addresses: [{ip: fe80::1}]}]"), "subsets[0].addresses[0].ip", "link-local"],
  [endpoints("[{notReadyAddresses: [{ip: 10.0.0.256}]}]"), "subsets[0].notReadyAddresses[0].ip", "is not an IPv4"],
  [endpoints("[{addresses: [{ip: 10.0.0.1}], ports: [{port: 0}]}]"), "subsets[0].ports[0].port", "0 is not"],
  [service("{}"), "spec", "ports is missing"],
  [service("{type: External, ports: [{port: 80}]}"), "spec.type", "is not one of ClusterIP"],
  [service("{type: ExternalName}"), "spec", "needs externalName"],
  [service("{ports: [{port: 80, name: a}, {port: 81}]}"), "spec.ports[1]", "each needs a name"],
  [service("{ports: [{port: 80, name: a}, {port: 80, name: b}]}"), "spec.ports[1]", "port 80 is given twice"],
  [service("{ports: [{port: 80, targetPort: No_Name}]}"), "spec.ports[0].targetPort", "is not the name of a port"],
  [slice("addressType: IPv4\nendpoints: [{addresses: [fe80::1]}]"), "endpoints[0].addresses[0]", "is not an IPv4"],
  [slice("addressType: IPv4\nendpoints: [{addresses: [169.254.169.254]}]"), "endpoints[0].addresses[0]", "link-local"],
  [slice("addressType: IPv6\nendpoints: [{addresses: [fe80::1]}]"), "endpoints[0].addresses[0]", "link-local"],
  [slice("addressType: IPv4\nendpoints: [{addresses: []}]"), "endpoints[0].addresses", "the list is empty"],
  [service("{ports: [{port: 80, targetPort: 70000}]}"), "spec.ports[0].targetPort", "70000 is not"],
  [service("{ports: [{port: 80, protocol: HTTP}]}"), "spec.ports[0].protocol", "is not one of"],
  [service("{clusterIP: none, ports: [{port: 80}]}"), "spec.clusterIP", "is not an IP address"],
  [service("{type: ExternalName, externalName: a b}"), "spec.externalName", "is not a name"],
  [slice("addressType: ipv4"), "addressType", "is not one of"],
  [slice("addressType: IPv4\nendpoints: [{addresses: [0.0.0.0]}]"), "endpoints[0].addresses[0]", "unspecified"],
  [slice("addressType: IPv4\nendpoints: [{addresses: [010.0.0.1]}]"), "endpoints[0].addresses[0]", "is not an IPv4"],
  [slice("addressType: IPv6\nendpoints: [{addresses: ['::']}]"), "endpoints[0].addresses[0]", "unspecified"],
  [slice("addressType: IPv4\nports: [{port: 80, name: A}]"), "ports[0].name", "is not a name"],
  [slice("endpoints: []"), "", "addressType is missing"],
  [secret("data: {a: 'not base64!'}"), "data.a", "it is not base64"],
  [secret("data: {'a b': ''}"), 'data["a b"]', "is not a key"],
  [secret("type: kubernetes.io/tls\nstringData: {tls.crt: x}"), "", "needs the key tls.key"],
  [secret("stringData: {password: 12345}"), "stringData.password", "a number is given where text is required"],
  [
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: true}",
    "data.a",
    "true is given where text is required",
  ],
  [
    "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: a}\nspec: {}",
    "spec",
    "controller is missing",
  ],
];

export const accepted: readonly string[] = [
  ingress(`{rules: [{host: "*.example.com"}], tls: [{hosts: ["*.example.com"]}]}`),
  ingress("{defaultBackend: {service: {name: web, port: {name: http}}}}"),
  path(`{path: "/a(/|$)(.*)", pathType: ImplementationSpecific, ${to}}`),
  path(`{pathType: ImplementationSpecific, ${to}}`),
  ingress(`{tls: [{hosts: ["192.0.2.1"]}], rules: [{}]}`),
  ingress("{tls: [{}], rules: [{host: a-1.example}]}", ", labels: {a: ''}, annotations: {a.b/C_d.e: ''}"),
  path("{path: /, pathType: Prefix, backend: {resource: {apiGroup: a.b, kind: C, name: d}}}"),
  path(`{path: "/a;b\\"c", pathType: Exact, ${to}}`),
  service("{type: ExternalName, externalName: 192.0.2.1}"),
  service("{type: LoadBalancer, ports: [{port: 80, targetPort: http, appProtocol: kubernetes.io/h2c}]}"),
  service("{clusterIP: None}").replace("name: web", "name: 1web"),
  path("{path: /, pathType: Prefix, backend: {service: {name: 1web, port: {number: 80}}}}"),
  service("{type: ExternalName, externalName: example.com.}"),
  service("{ports: [{port: 53, name: a, protocol: UDP}, {port: 53, name: b}]}"),
  slice("addressType: IPv4\nendpoints: [{addresses: [127.0.0.2]}]\nports: [{port: 80}]"),
  slice("addressType: IPv6\nendpoints: null"),
  endpoints("[{addresses: [{ip: 10.0.0.1, hostname: a}], ports: [{port: 80, name: http, protocol: TCP}]}]"),
  secret("type: kubernetes.io/tls\ndata: {tls.crt: ''}\nstringData: {tls.key: ''}"),
  secret("data:\n  a: |\n    YWJj\n    ZGVm\n"),
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, creationTimestamp: null}\ndata: {9000: default/web:80}",
];

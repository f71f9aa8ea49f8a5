import { expect, test } from "vitest";
import { readManifest } from "./manifest.ts";

const ingress = (spec: string, meta = ""): string =>
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web${meta}}\nspec: ${spec}\n`;
const path = (text: string): string => ingress(`{rules: [{http: {paths: [${text}]}}]}`);
const service = (spec: string): string => `apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: ${spec}\n`;
const slice = (rest: string): string =>
  `apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: web}\n${rest}\n`;
const secret = (rest: string): string => `apiVersion: v1\nkind: Secret\nmetadata: {name: web}\n${rest}\n`;
const to = "backend: {service: {name: web, port: {number: 80}}}";

const refused: readonly (readonly [text: string, field: string, why: string])[] = [
  [ingress("{}"), "spec", "it needs rules or defaultBackend"],
  [ingress(`{rules: [{host: 192.0.2.1}]}`), "spec.rules[0].host", "is an address"],
  [ingress(`{rules: [{host: Example.com}]}`), "spec.rules[0].host", 'capital letters; write "example.com"'],
  [ingress(`{rules: [{host: "a.*.com"}]}`), "spec.rules[0].host", "has a * that is not its whole first label"],
  [ingress(`{rules: [{host: "a_b.com"}]}`), "spec.rules[0].host", "is not a DNS name"],
  [ingress(`{rules: [{http: {paths: []}}]}`), "spec.rules[0].http.paths", "the list is empty"],
  [ingress(`{tls: [{hosts: ["192.0.2.1"]}], rules: [{}]}`), "spec.tls[0].hosts[0]", "is an address"],
  [ingress(`{rules: {host: a}}`), "spec.rules", "a mapping stands where a list must"],
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
    "text is not a whole number",
  ],
  [
    ingress("{rules: [{}]}", ", annotations: {a/b: false}"),
    'metadata.annotations["a/b"]',
    "false stands where text must",
  ],
  [ingress("{rules: [{}]}", ", annotations: {a/b: on}"), 'metadata.annotations["a/b"]', "true stands where text must"],
  [
    ingress("{rules: [{}]}", ", annotations: {a/b: 10}"),
    'metadata.annotations["a/b"]',
    "a number stands where text must",
  ],
  [ingress("{rules: [{}]}", ", namespace: A"), "metadata.namespace", "is not a name"],
  [ingress("{rules: [{}]}", ", creationTimestamp: today"), "metadata.creationTimestamp", "is not a time"],
  ["apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}", "apiVersion", "write networking.k8s.io/v1"],
  ["apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}", "apiVersion", "write an EndpointSlice"],
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
  [slice("endpoints: []"), "", "addressType is missing"],
  [secret("data: {a: 'not base64!'}"), "data.a", "it is not base64"],
  [secret("data: {'a b': ''}"), 'data["a b"]', "is not a key"],
  [secret("type: kubernetes.io/tls\nstringData: {tls.crt: x}"), "", "needs the key tls.key"],
  [secret("stringData: {password: 12345}"), "stringData.password", "a number stands where text must"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: true}", "data.a", "true stands where text must"],
  [
    "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: a}\nspec: {}",
    "spec",
    "controller is missing",
  ],
];

test.each(refused)("refuses as the API server would: %s", (text, field, why) => {
  const { faults, objects } = readManifest(text);
  expect(faults).toMatchObject([{ field, fatal: true, why: expect.stringContaining(why) }]);
  expect(objects.map(({ object }) => object).filter(Boolean)).toEqual([]);
});

const accepted: readonly string[] = [
  ingress(`{rules: [{host: "*.example.com"}], tls: [{hosts: ["*.example.com"]}]}`),
  ingress("{defaultBackend: {service: {name: web, port: {name: http}}}}"),
  path(`{path: "/a(/|$)(.*)", pathType: ImplementationSpecific, ${to}}`),
  path(`{pathType: ImplementationSpecific, ${to}}`),
  service("{clusterIP: None}"),
  service("{type: ExternalName, externalName: example.com.}"),
  service("{ports: [{port: 53, name: a, protocol: UDP}, {port: 53, name: b}]}"),
  slice("addressType: IPv4\nendpoints: [{addresses: [127.0.0.2]}]\nports: [{port: 80}]"),
  slice("addressType: IPv6\nendpoints: null"),
  secret("type: kubernetes.io/tls\ndata: {tls.crt: ''}\nstringData: {tls.key: ''}"),
  secret("data:\n  a: |\n    YWJj\n    ZGVm\n"),
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, creationTimestamp: null}\ndata: {9000: default/web:80}",
];

test.each(accepted)("accepts what the API server does: %s", (text) => {
  const { faults, objects } = readManifest(text);
  expect(faults).toEqual([]);
  expect(objects.every(({ object }) => object !== undefined)).toBe(true);
});

test("a field that does not exist is ignored, and the nearest one is named", () => {
  const { faults, objects } = readManifest(ingress("{rules: [{}], ingressClasName: nginx}"));
  expect(faults).toMatchObject([
    { field: "spec.ingressClasName", fatal: false, why: expect.stringContaining("ingressClassName") },
  ]);
  expect(objects[0]?.object).toBeDefined();
});

test("no value of a Secret is repeated, whatever is wrong with it", () => {
  const word = "hunter2";
  const texts = [
    secret(`data: {a: '${word}!'}`),
    secret(`data: {a: *${word}}`),
    secret(`data: {a: "\\q${word}"}`),
    secret(`data:\n\t${word}`),
    secret(`data: {a: ${word}: b}`),
    secret(`data: [${word}]`),
    secret(`stringData: {a: {b: ${word}}}`),
    secret(`type: kubernetes.io/tls\nstringData: {tls.key: ${word}}`),
  ];
  for (const text of texts) {
    const { faults } = readManifest(text);
    expect(faults.length, text).toBeGreaterThan(0);
    expect(JSON.stringify(faults)).not.toContain(word);
  }
});

import { expect, test } from "vitest";
import { readManifest } from "./manifest.ts";
import { Memory } from "./memory.ts";

test("one file may hold several documents, a List, and kinds that are not used", () => {
  const text = `
# a comment
apiVersion: v1
kind: Service
metadata: {name: a}
spec: {ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
---
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Namespace, metadata: {name: b, namespace: useless}}
  - {apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: c}}
`;
  const { objects, faults, complete } = readManifest(text);
  expect(objects.map(({ kind, key, placeOf }) => [kind, key, placeOf([]).line])).toEqual([
    ["Service", "default/a", 3],
    ["Namespace", "b", 16],
  ]);
  expect([faults, complete]).toEqual([[], true]);
});

test("a fault has the line and column of its field, also in a List", () => {
  const text = `apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Service
    metadata:
      name: web
      namespace: shop
    spec:
      ports:
        - port: 0
`;
  expect(readManifest(text).faults).toMatchObject([
    {
      object: { kind: "Service", namespace: "shop", name: "web" },
      place: { line: 11, column: 11 },
      field: "spec.ports[0].port",
    },
  ]);
});

test("YAML that does not parse gives the line and makes the file incomplete", () => {
  const { faults, complete, objects } = readManifest("kind: Service\nmetadata:\n  name: [web\nspec: {}\n");
  expect(faults).toMatchObject([{ object: undefined, place: { line: 4 } }]);
  expect([complete, objects]).toEqual([false, []]);
});

test.each(["just text", "kind: Ingress\nmetadata: {name: a}", "apiVersion: v1\nkind: Secret\nmetadata: {}", "- a"])(
  "an object without a name makes the file incomplete: %s",
  (text) => {
    const { faults, complete } = readManifest(text);
    expect(faults).toHaveLength(1);
    expect(complete).toBe(false);
  },
);

test("stringData becomes data, and base64 loses its line breaks", () => {
  const text = `apiVersion: v1
kind: Secret
metadata: {name: a}
data:
  one: |
    YWJj
    ZGVm
  two: YQ==
stringData: {two: b}
`;
  expect(readManifest(text).objects[0]?.object).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "a", namespace: "default" },
    data: { one: "YWJjZGVm", two: "Yg==" },
  });
});

test("an empty value is no value, but in annotations and data it is an empty text", () => {
  const text = `apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: , annotations: {b: }}
data: {c: }
`;
  expect(readManifest(text).objects[0]?.object).toMatchObject({
    metadata: { annotations: { b: "" } },
    data: { c: "" },
  });
  expect(readManifest(text).objects[0]?.object?.metadata).not.toHaveProperty("labels");
});

test("aliases that expand to a huge value are a fault", () => {
  const lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (const name of "bcdefgh") {
    const before = String.fromCharCode(name.charCodeAt(0) - 1);
    lines.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(", ")}]`);
  }
  expect(readManifest(lines.join("\n")).faults).toMatchObject([{ why: expect.stringContaining("aliases") }]);
});

test("a document that was read before is neither read nor checked again, and gets its new place", () => {
  const [one, other] = ["a", "b"].map((name) => `---\nkind: Namespace\napiVersion: v1\nmetadata:\n  name: ${name}\n`);
  const memory = new Memory();
  const [before] = readManifest(`${one}`, memory).objects;
  const [, after] = readManifest(`${other}${one}`, memory).objects;
  expect(after?.object).toBe(before?.object);
  expect([before, after].map((object) => object?.placeOf(["metadata", "name"]).line)).toEqual([5, 10]);
});

test.each([
  ["metadata: {name: [a]}", "metadata.name of this Service: a list is given where text is required"],
  [
    "metadata: {name: 12}",
    "metadata.name of this Service: a number is given where text is required; write it in quotes",
  ],
  ["metadata: [{name: a}]", "metadata of this Service: a list is given where a mapping is required"],
  ["metadata: {name: }", "this Service has no metadata.name"],
  ["spec: {}", "this Service has no metadata.name"],
])("the message about %s names what stands in place of a name", (metadata, why) => {
  const { faults } = readManifest(`apiVersion: v1\nkind: Service\n${metadata}\n`);
  expect(faults).toMatchObject([{ object: undefined, why }]);
});

test("a kustomization may leave out its kind, and a values file is no kustomization", () => {
  const read = (text: string) => readManifest(text);
  expect(read("resources: [ingress.yaml]\nnamespace: shop\n")).toMatchObject({ faults: [], others: [{}] });
  expect(read("kind: Component\npatches: []\n")).toMatchObject({ faults: [], others: [{}] });
  for (const text of [
    "resources: {}\n",
    "resources: []\n",
    "resources: [{ kind: Service }]\n",
    "kind: x\nresources: [a]\n",
  ])
    expect(read(text).faults).toMatchObject([{ why: expect.stringContaining("it is not a Kubernetes object") }]);
});

test("an object of an old apiVersion is checked for mistakes in its metadata, too", () => {
  const { faults } = readManifest(`apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: a
  annotations:
    nginx.ingress.kubernetes.io/limit-rps: 20
spec: {backend: {serviceName: a, servicePort: 80}}
`);
  expect(faults).toMatchObject([
    { field: "apiVersion", place: { line: 1 } },
    { field: 'metadata.annotations["nginx.ingress.kubernetes.io/limit-rps"]', place: { line: 6 } },
  ]);
});

test("a text with a variable that no tool has filled in is called so, whatever it should be", () => {
  const { faults } = readManifest(`apiVersion: v1
kind: Endpoints
metadata: {name: a}
subsets: [{addresses: [{ip: $EXTERNAL_IP}], ports: [{port: 80}]}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: a}
spec: {rules: [{http: {paths: [{path: /, pathType: "\${PATH_TYPE}", backend: {service: {name: a, port: {number: 80}}}}]}}]}
`);
  expect(faults.map(({ why }) => why)).toEqual([
    '"$EXTERNAL_IP" is not an IPv4 address; a tool should have filled in $EXTERNAL_IP before, such as envsubst',
    expect.stringMatching(/^"\$\{PATH_TYPE\}" is not one of .*; a tool should have filled in \$\{PATH_TYPE\} before/),
  ]);
});

test("all keys that occur twice are named at once", () => {
  const { faults } = readManifest(`apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: a}
spec:
  ingressClassName: nginx
  ingressClassName: nginx
  defaultBackend: {}
  defaultBackend: {}
  rules: []
  rules: []
`);
  expect(faults.map(({ why, place }) => `${place?.line}: ${why}`)).toEqual([
    '6: the key "ingressClassName" occurs twice in one mapping, first in line 5; remove one of them, and likewise in lines 8, 10',
  ]);
});

test("a variable in small letters in a name is said to be a tool's to fill in", () => {
  const { faults } = readManifest(`apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: "\${app}-web", namespace: $stage}
spec: {tls: [{hosts: ["\${domain}"], secretName: "\${domain}-tls"}]}
`);
  const by = (variable: string) => `a tool should have filled in ${variable} before, such as envsubst`;
  expect(faults.map(({ why }) => why)).toEqual([
    `"\${app}-web" is not a name of a-z, 0-9, - and .; ${by("${app}")}`,
    `"$stage" is not a name of a-z, 0-9 and -; ${by("$stage")}`,
    `"\${domain}" is not a DNS name; ${by("${domain}")}`,
    `"\${domain}-tls" is not a name of a-z, 0-9, - and .; ${by("${domain}")}`,
  ]);
});

test("a word in capitals in a name or host may be a placeholder", () => {
  const { faults } = readManifest(`apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: APP-web}
spec: {defaultBackend: {service: {name: Web, port: {number: 80}}}, tls: [{hosts: [web.DOMAIN.COM]}]}
`);
  expect(faults.map(({ why }) => why)).toEqual([
    '"APP-web" is not a name of a-z, 0-9, - and .; fill it in if it is a placeholder',
    '"Web" is not a name of a-z, 0-9 and -',
    '"web.DOMAIN.COM" has capital letters; write "web.domain.com", or fill it in if it is a placeholder',
  ]);
});

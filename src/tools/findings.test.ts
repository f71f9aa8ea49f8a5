import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { defaultFlags } from "../controller/flags.ts";
import { missingIn } from "../core/model/missing.ts";
import { fullSentence, named, type Problem, sentence } from "../core/model/problem.ts";
import { readManifest } from "../edges/folder/manifest.ts";
import { distinct, findingsIn, judged } from "./findings.ts";
import { readFolder } from "./folder.ts";
import { translated } from "./translated.ts";

test("a Secret that two hosts lack is one finding, and two Ingresses that lack it are two", () => {
  const lacking = (name: string, field = "spec.tls[0].secretName"): Problem => ({
    object: { kind: "Ingress", namespace: "shop", name },
    kind: "secret-unusable",
    field,
    secret: "shop/pair",
    why: "not found",
  });
  const [web, again, other, second] = [lacking("web"), lacking("web"), lacking("api"), lacking("web", "spec.tls[1]")];
  expect(distinct([web!, again!, other!, second!])).toEqual([web, other, second]);
});

test("a Gateway that is left out for its own mistake is not reported as missing, and one that no file has is", () => {
  const apiVersion = "gateway.networking.k8s.io/v1";
  const gateway = (name: string, port: unknown) => ({
    ...{ apiVersion, kind: "Gateway", metadata: { name, namespace: "ns" } },
    spec: { gatewayClassName: "sluice", listeners: [{ name: "http", port, protocol: "HTTP" }] },
  });
  const route = (parent: string) => ({
    ...{ apiVersion, kind: "HTTPRoute", metadata: { name: `at-${parent}`, namespace: "ns" } },
    spec: { parentRefs: [{ name: parent }] },
  });
  const controllerName = "sluice.dev/gateway-controller";
  const objects = [
    { apiVersion, kind: "GatewayClass", metadata: { name: "sluice" }, spec: { controllerName } },
    ...[gateway("good", 80), gateway("bad", "eighty")],
    ...[route("bad"), route("gone")],
  ];
  const text = objects.map((one) => JSON.stringify(one)).join("\n---\n");
  const found = findingsIn(new Map([["all.yaml", readManifest(text)]]), defaultFlags("serve"));
  const ofRoutes = found.filter(({ problem }) => problem.object.kind === "HTTPRoute");
  expect(ofRoutes.map(({ severity, problem }) => `${severity}: ${fullSentence(problem)}`)).toEqual([
    "error: HTTPRoute ns/at-bad: spec.parentRefs: Gateway ns/bad is in the files, and is left out because of its own mistake; the route is not attached there",
    "error: HTTPRoute ns/at-gone: spec.parentRefs: Gateway ns/gone not found; the route is not attached there",
  ]);
});

test("Ingresses without a class are noted, unless an IngressClass is the default one", () => {
  const apiVersion = "networking.k8s.io/v1";
  const spec = { defaultBackend: { service: { name: "web", port: { number: 80 } } } };
  const ingress = (name: string, more: object) => ({
    ...{ apiVersion, kind: "Ingress", metadata: { name, namespace: "ns" } },
    spec: { ...spec, ...more },
  });
  const ingressClass = (annotations: object) => ({
    ...{ apiVersion, kind: "IngressClass", metadata: { name: "nginx", annotations } },
    spec: { controller: "k8s.io/ingress-nginx" },
  });
  const note = (...objects: readonly object[]) => {
    const text = objects.map((one) => JSON.stringify(one)).join("\n---\n");
    return judged(new Map([["all.yaml", readManifest(text)]]), defaultFlags("serve")).classless(() => true);
  };
  const both = [ingress("plain", {}), ingress("named", { ingressClassName: "nginx" })];
  expect(note(...both, ingressClass({}))).toBe(
    "1 Ingress names no class (ns/plain): a cluster serves it only if an IngressClass is its default one, or with --watch-ingress-without-class; set spec.ingressClassName",
  );
  expect(note(...both, ingressClass({ "ingressclass.kubernetes.io/is-default-class": "true" }))).toBeUndefined();
  expect(note(both[1]!)).toBeUndefined();
});

test("an Ingress whose class does not exist is left out for this reason, and not for its namespace", () => {
  const apiVersion = "networking.k8s.io/v1";
  const objects = [
    {
      ...{ apiVersion, kind: "Ingress", metadata: { name: "web", namespace: "ns" } },
      spec: { ingressClassName: "nginx", defaultBackend: { service: { name: "web", port: { number: 80 } } } },
    },
    {
      ...{ apiVersion, kind: "IngressClass", metadata: { name: "outside" } },
      spec: { controller: "k8s.io/ingress-nginx" },
    },
  ];
  const text = objects.map((one) => JSON.stringify(one)).join("\n---\n");
  const { leftOut } = judged(new Map([["all.yaml", readManifest(text)]]), defaultFlags("serve"));
  expect(leftOut()).toBe("1 Ingress is not served here, and left out: ns/web (there is no IngressClass nginx)");
});

test("a Problem that says that an object is not found has the object, too", () => {
  const root = fileURLToPath(new URL("../../test/golden/tools/", import.meta.url));
  const folders = readdirSync(root, { withFileTypes: true }).filter((one) => one.isDirectory());
  const problems = folders.flatMap(({ name }) => {
    const read = readFolder(`${root}${name}`);
    if (!read.ok) throw new Error(read.why);
    return [...translated(read.files, defaultFlags("serve"), "serve").problems.values()].flat();
  });
  const lacking = problems.filter((one) => / not found\b/.test(sentence(one)));
  expect(lacking.length).toBeGreaterThan(20);
  expect(lacking.map((one) => `${named(missingIn(one)!)} not found`)).toEqual(
    lacking.map((one) => /\S+ \S+ not found\b/.exec(sentence(one))![0]),
  );
});

test("a missing Service and a missing Secret are said with a similar name of the namespace", () => {
  const object = (kind: string, name: string, namespace: string, spec: object, apiVersion = "v1") => ({
    ...{ apiVersion, kind, metadata: { name, namespace } },
    ...spec,
  });
  const backend = { service: { name: "apii", port: { number: 80 } } };
  const spec = {
    ingressClassName: "nginx",
    tls: [{ hosts: ["a.example"], secretName: "web-tlss" }],
    rules: [{ host: "a.example", http: { paths: [{ path: "/a(b", pathType: "ImplementationSpecific", backend }] } }],
  };
  const annotations = { "nginx.ingress.kubernetes.io/use-regex": "true" };
  const web = object("Ingress", "web", "ns", { spec }, "networking.k8s.io/v1");
  const objects = [
    { ...web, metadata: { ...web.metadata, annotations } },
    object("Service", "api", "ns", { spec: { ports: [{ port: 80 }] } }),
    object("Service", "apia", "other", { spec: { ports: [{ port: 80 }] } }),
    object("Secret", "web-tls", "ns", { data: {} }),
  ];
  const files = new Map([["all.yaml", readManifest(objects.map((one) => JSON.stringify(one)).join("\n---\n"))]]);
  const sentences = findingsIn(files, defaultFlags("serve")).map(({ problem }) => sentence(problem));
  // The webhook would refuse the path for the same reason, which is said once.
  expect(sentences).toEqual([
    "spec.tls[0].secretName: Secret ns/web-tlss not found (did you mean web-tls?); the default certificate is served",
    'spec.rules[0].http.paths[0].path: "/a(b" is not a regular expression: a "(" is not closed; the path is ignored',
    "spec.rules[0].http.paths[0].backend: Service ns/apii not found (did you mean api?); the path answers 503",
  ]);
});

test("a field that Sluice does not know is one finding, and an error if it closes what it stands on", () => {
  const apiVersion = "gateway.networking.k8s.io/v1";
  const controllerName = "sluice.dev/gateway-controller";
  const http = { name: "http", port: 80, protocol: "HTTP", hostnam: "a.example" };
  const metadata = { name: "gw", namespace: "ns" };
  const objects = [
    { apiVersion, kind: "GatewayClass", metadata: { name: "sluice" }, spec: { controllerName } },
    {
      ...{ apiVersion, kind: "Gateway", metadata },
      spec: { gatewayClassName: "sluice", listeners: [http], authentication: { jwt: {} } },
    },
    {
      ...{ apiVersion, kind: "Gateway", metadata: { ...metadata, name: "other" } },
      spec: { gatewayClassName: "other", listeners: [http] },
    },
  ];
  const files = new Map([["all.yaml", readManifest(objects.map((one) => JSON.stringify(one)).join("\n---\n"))]]);
  const said = findingsIn(files, defaultFlags("serve")).flatMap(({ severity, problem }) =>
    "field" in problem && problem.field !== "spec.gatewayClassName" ? [`${severity}: ${fullSentence(problem)}`] : [],
  );
  expect(said.map((one) => one.replace(/all.yaml line \d+, column \d+: /, "")).toSorted()).toEqual([
    "error: Gateway ns/gw: spec.authentication: is a field that Sluice does not know, and it may be a guard; the listener is not served",
    "warning: Gateway ns/gw: spec.listeners[0].hostnam: there is no such field (did you mean hostname?); it is ignored",
    "warning: Gateway ns/other: spec.listeners[0].hostnam: there is no such field (did you mean hostname?); it is ignored",
  ]);
});
